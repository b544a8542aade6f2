/* SPDX-License-Identifier: Apache-2.0 */
/* The program that ran, from the command line that was recorded. */
#include "tests/support/unit.h"

#include "render/words/program_name.h"

#include <string.h>

static void the_program_is_what_memray_ran(void **state)
{
    static const struct {
        const char *line, *program;
    } cases[] = {
        {"/opt/lib/python3.11/site-packages/memray/__main__.py run -q -f -o x.bin --follow-fork jobs/etl.py a b",
         "etl.py"},
        {"/usr/bin/memray run -fo out.bin -m http.server 80", "http.server"},
        {"memray3.11 run --output=x.bin --live-port 99 etl.py", "etl.py"},
        {"memray run -oetl.bin etl.py", "etl.py"},
        {"memray/__main__.py run -q -f -o my runs/1/memray.bin etl.py /x/memray.bin", "etl.py"},
        {"memray run -o runs/memray.bin /x/memray.bin", "memray.bin"},
        {"memray run -o x.bin load /x/memray.bin", "load"},
        {"memray run -o x etl.py /x/memray.bin", "etl.py"},
        {"memray run -o x -m etl /x/memray.bin", "etl"},
        {"memray run -o", ""},
        {"memray run -c import os", "python -c"},
        {"memray run -qc import os", "python -c"},
        {"memray run", ""},
        {"memray flamegraph x.bin", "memray"},
        {"jobs/etl.py --day 1", "etl.py"},
        {"python jobs/etl.py --day 1", "etl.py"},
        {"/usr/bin/python3.12 -u -X dev -Wignore jobs/etl.py", "etl.py"},
        {"python3 -m http.server 80", "http.server"},
        {"python3 -Im jobs.etl", "jobs.etl"},
        {"python3 -c import os", "python -c"},
        {"/usr/bin/dotnet exec --runtimeconfig a.json /srv/shop.dll --till 3", "shop"},
        {"dotnet build", "dotnet"},
        {"python3 -m memray run -q -o x.bin jobs/etl.py", "etl.py"},
        {"/home/airflow/.local/bin/airflow scheduler --pid x", "airflow scheduler"},
        {"python3 -m airflow dag-processor", "airflow dag-processor"},
        {"memray run -o x.bin /usr/bin/airflow triggerer", "airflow triggerer"},
        {"airflow --help", "airflow"},
        {"airflow", "airflow"},
        {"/lib/airflow/__main__.py scheduler", "airflow"},
        {"airflow.sh scheduler", "airflow.sh"},
        {"python", "python"},
        {"pythonista x", "pythonista"},
        {"/usr/bin/perf record -a -g", ""},
        {"/srv/app/pkg/__main__.py x", "pkg"},
        {"C:\\jobs\\etl.py", "etl.py"},
        {"  ", ""},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pr_text program = pr_program_name((struct pr_text){cases[i].line, (uint32_t)strlen(cases[i].line)});
        assert_int_equal(program.length, strlen(cases[i].program));
        assert_memory_equal(program.bytes, cases[i].program, program.length);
    }
}

static void a_file_is_called_after_its_subject(void **state)
{
    static const struct {
        const char *path, *subject;
    } cases[] = {
        {"heaps/shelf.heapsnapshot.zst", "shelf"},
        {"train.torch.pickle", "train"},
        {"train.torch2.trace.json.gz", "train.torch2"},
        {"/srv/multi.perf.txt", "multi"},
        {"etl.psrecord-io.txt", "etl"},
        {"v1.2.unknown", "v1.2.unknown"},
        {".txt", ".txt"},
        {"json", "json"},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct pr_text subject = pr_subject_of_file(cases[i].path);
        assert_int_equal(subject.length, strlen(cases[i].subject));
        assert_memory_equal(subject.bytes, cases[i].subject, subject.length);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_program_is_what_memray_ran),
                                       cmocka_unit_test(a_file_is_called_after_its_subject)};
    return cmocka_run_group_tests_name("program_name", tests, NULL, NULL);
}
