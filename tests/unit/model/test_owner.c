/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code a frame is, and what it does, by its file. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "capture/model/code_world.h"
#include "capture/model/owner_settle.h"
#include "profrender/owner.h"
#include "tests/support/profile_maker.h"

struct place {
    const char *file;
    int is; /* enum pr_owner, or the bits of a role */
};

static void assert_owners(struct maker *maker, const struct place *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        maker_frame(maker, "f", places[i].file, 1, PR_FRAME_PYTHON);
    struct pr_profile *profile = maker_finish(maker);
    for (pr_frame_id i = 0; i < count; i++)
        if ((int)pr_owner_of(profile, i) != places[i].is)
            fail_msg("%s: %s, expected %s", places[i].file, pr_owner_name(pr_owner_of(profile, i)),
                     pr_owner_name((enum pr_owner)places[i].is));
    pr_profile_free(profile);
}

static void without_paths_the_look_of_installed_trees_decides(void **state)
{
    static const struct place places[] = {
        {"/home/me/app/main.py", PR_OWNER_MINE},
        {"main.py", PR_OWNER_MINE},
        {"", PR_OWNER_MINE},
        {"/usr/lib/python3.11/json/decoder.py", PR_OWNER_STDLIB},
        {"/usr/lib64/python3.9/os.py", PR_OWNER_STDLIB},
        {"/opt/python/lib/python3.13t/threading.py", PR_OWNER_STDLIB},
        {"/opt/pypy/lib/pypy3.10/os.py", PR_OWNER_STDLIB},
        {"lib/python3.12/os.py", PR_OWNER_STDLIB},
        {"/venv/lib/python3.11/site-packages/pandas/io/sql.py", PR_OWNER_LIBRARY},
        {"/usr/lib/python3/dist-packages/apt/cache.py", PR_OWNER_LIBRARY},
        {"site-packages/six.py", PR_OWNER_LIBRARY},
        {"/home/me/my-site-packages/x.py", PR_OWNER_MINE},
        {"/home/me/site-packages", PR_OWNER_MINE},
        {"/home/me/python3.11/x.py", PR_OWNER_MINE},
        {"/home/me/lib/python3/x.py", PR_OWNER_MINE},
        {"/home/me/lib/python3.x/x.py", PR_OWNER_MINE},
        {"/home/me/lib/python3.11-tools/x.py", PR_OWNER_MINE},
        {"/home/me/lib/python3.11", PR_OWNER_MINE},
    };
    (void)state;
    assert_owners(maker_new(), places, sizeof places / sizeof *places);
}

static void paths_of_the_header_decide(void **state)
{
    static const struct place places[] = {
        {"/srv/py/stdlib/json/decoder.py", PR_OWNER_STDLIB},
        {"/srv/py/stdlib/packages/pandas/io.py", PR_OWNER_LIBRARY}, /* below both: the library wins */
        {"/srv/other/more/numpy/core.py", PR_OWNER_LIBRARY},
        {"/srv/other/moreover/x.py", PR_OWNER_MINE},
        {"/srv/py/stdlib2/x.py", PR_OWNER_MINE},
        {"/srv/py", PR_OWNER_MINE},
        {"/home/me/lib/python3.11/x.py", PR_OWNER_MINE}, /* below sys.path, and the standard library is elsewhere */
        {"/opt/python3.12/lib/python3.12/threading.py", PR_OWNER_STDLIB}, /* of another Python */
        {"/home/me/venv/lib/python3.11/site-packages/x.py", PR_OWNER_LIBRARY},
        {"/home/me/app.py", PR_OWNER_MINE},
    };
    (void)state;
    struct maker *maker = maker_new();
    struct pr_meta *meta = maker_meta(maker);
    meta->stdlib_path = maker_string(maker, "/srv/py/stdlib");
    meta->site_packages = maker_paths(maker, (const char *[]){"/srv/py/stdlib/packages", "/srv/other/more/", NULL},
                                      &meta->site_packages_count);
    meta->sys_path = maker_paths(maker, (const char *[]){"/home/me", "/srv/py/stdlib", NULL}, &meta->sys_path_count);
    assert_owners(maker, places, sizeof places / sizeof *places);
}

static void scripts_that_came_with_a_library_are_its_own(void **state)
{
    static const struct place places[] = {
        {"/home/me/app/venv/bin/pytest", PR_OWNER_LIBRARY},
        {"/home/me/app/.venv/bin/django-admin.py", PR_OWNER_LIBRARY},
        {"/home/me/.cache/pypoetry/virtualenvs/app-x1-py3.12/bin/celery", PR_OWNER_LIBRARY},
        {"/home/me/.local/pipx/venvs/tool/bin/tool", PR_OWNER_LIBRARY},
        {"venv/bin/pytest", PR_OWNER_LIBRARY},
        {"/opt/conda/bin/jupyter", PR_OWNER_LIBRARY},
        {"/opt/conda/bin/etl.py", PR_OWNER_MINE}, /* put there by hand */
        {"/opt/condas/bin/etl", PR_OWNER_MINE},
        {"/opt/bin/etl", PR_OWNER_MINE},
        {"/home/me/app/bin/etl", PR_OWNER_MINE},
        {"/home/me/app/venv/bin/tools/etl", PR_OWNER_MINE},
        {"/home/me/app/myvenv/bin/etl", PR_OWNER_MINE},
        {"/bin/etl", PR_OWNER_MINE},
        {"bin/etl", PR_OWNER_MINE},
    };
    (void)state;
    struct maker *maker = maker_new();
    struct pr_meta *meta = maker_meta(maker);
    meta->site_packages = maker_paths(maker, (const char *[]){"/opt/conda/lib/python3.12/site-packages", NULL},
                                      &meta->site_packages_count);
    assert_owners(maker, places, sizeof places / sizeof *places);
}

static void names_in_angles_are_of_the_interpreter_the_user_or_a_library(void **state)
{
    static const struct place places[] = {
        {"<frozen importlib._bootstrap>", PR_OWNER_STDLIB},
        {"<frozen runpy>", PR_OWNER_STDLIB},
        {"<string>", PR_OWNER_MINE},
        {"<stdin>", PR_OWNER_MINE},
        {"<ipython-input-3-0123abcd>", PR_OWNER_MINE},
        {"<python-input-0>", PR_OWNER_MINE},
        {"<doctest app.f[0]>", PR_OWNER_MINE},
        {"<__array_function__ internals>", PR_OWNER_LIBRARY},
        {"<attrs generated init app.Point>", PR_OWNER_LIBRARY},
    };
    (void)state;
    assert_owners(maker_new(), places, sizeof places / sizeof *places);
}

static void native_and_kernel_frames_are_known_by_their_kind(void **state)
{
    (void)state;
    struct maker *maker = maker_new();
    maker_frame(maker, "main", "/home/me/app.py", 1, PR_FRAME_PYTHON);
    pr_frame_id native = maker_frame(maker, "malloc", "/home/me/app.py", 1, PR_FRAME_NATIVE);
    pr_frame_id kernel = maker_frame(maker, "do_page_fault", "", 0, PR_FRAME_KERNEL);
    pr_frame_id made_up = maker_frame(maker, "[idle]", "", 0, PR_FRAME_OTHER);
    struct pr_profile *profile = maker_finish(maker);
    assert_int_equal(pr_owner_of(profile, native), PR_OWNER_NATIVE); /* below an interpreter */
    assert_int_equal(pr_owner_of(profile, kernel), PR_OWNER_KERNEL);
    assert_int_equal(pr_owner_of(profile, made_up), PR_OWNER_NONE);
    pr_profile_free(profile);
}

static void runners_and_the_import_system_are_known(void **state)
{
    static const struct place places[] = {
        {"<frozen runpy>", PR_ROLE_RUNNER},
        {"/usr/lib/python3.8/runpy.py", PR_ROLE_RUNNER},
        {"/venv/lib/python3.11/site-packages/memray/commands/run.py", PR_ROLE_RUNNER},
        {"/venv/lib/python3.11/site-packages/memray/__main__.py", PR_ROLE_RUNNER},
        {"/venv/lib/python3.11/site-packages/pyinstrument/__main__.py", PR_ROLE_RUNNER},
        {"/venv/bin/pyinstrument", PR_ROLE_RUNNER},
        {"/venv/lib/python3.11/site-packages/viztracer/main.py", PR_ROLE_RUNNER},
        {"/venv/lib/python3.11/site-packages/viztracer/tracer.py", 0},
        {"/venv/bin/pytest", PR_ROLE_RUNNER},
        {"<frozen importlib._bootstrap>", PR_ROLE_IMPORT},
        {"<frozen importlib._bootstrap_external>", PR_ROLE_IMPORT},
        {"/usr/lib/python3.8/importlib/_bootstrap.py", PR_ROLE_IMPORT},
        {"/usr/lib/python3.8/importlib/metadata.py", 0},
        {"/home/me/myrunpy.py", 0},
        {"/home/me/memray/app.py", 0},
        {"/home/me/app/__main__.py", 0},
        {"", 0},
    };
    (void)state;
    const size_t count = sizeof places / sizeof *places;
    struct maker *maker = maker_new();
    for (size_t i = 0; i < count; i++)
        maker_frame(maker, "f", places[i].file, 1, PR_FRAME_PYTHON);
    pr_frame_id opcode = maker_frame(maker, "import_name", "/src/Python/ceval.c", 9, PR_FRAME_NATIVE);
    pr_frame_id other = maker_frame(maker, "import_name", "/src/mine.c", 9, PR_FRAME_NATIVE);
    const pr_frame_id builtins[] = {
        maker_frame(maker, "<built-in method builtins.exec>", "", 0, PR_FRAME_NATIVE), /* cProfile */
        maker_frame(maker, "builtins.__import__", "", 0, PR_FRAME_NATIVE),             /* viztracer */
        maker_frame(maker, "builtins.exec", "/src/mine.c", 4, PR_FRAME_NATIVE),
        maker_frame(maker, "<built-in method builtins.compile>", "", 0, PR_FRAME_NATIVE)};
    const pr_frame_id seen[] = {maker_frame(maker, "process 2370:\"python x.py\"", "", 0, PR_FRAME_NATIVE),
                                maker_frame(maker, "thread (2418): worker", "", 0, PR_FRAME_NATIVE),
                                maker_frame(maker, "process 12", "", 0, PR_FRAME_NATIVE),
                                maker_frame(maker, "process orders:", "", 0, PR_FRAME_NATIVE),
                                maker_frame(maker, "thread (2418): worker", "app.py", 3, PR_FRAME_PYTHON)};
    struct pr_profile *profile = maker_finish(maker);
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        assert_int_equal(pr_role_of(profile, seen[i]), i < 2 ? PR_ROLE_RUNNER | PR_ROLE_PROFILER : 0);
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        assert_int_equal(pr_role_of(profile, builtins[i]), i < 2 ? PR_ROLE_IMPORT : 0);
    for (pr_frame_id i = 0; i < count; i++)
        if ((int)pr_role_of(profile, i) != places[i].is)
            fail_msg("%s: role %u, expected %d", places[i].file, pr_role_of(profile, i), places[i].is);
    assert_int_equal(pr_role_of(profile, opcode), PR_ROLE_IMPORT);
    assert_int_equal(pr_role_of(profile, other), 0);
    pr_profile_free(profile);
}

static void the_statement_of_a_profiler_is_a_runner(void **state)
{
    static const struct {
        const char *format, *function;
        unsigned role;
    } cases[] = {{"pstats", "f", PR_ROLE_RUNNER},
                 {"pyinstrument", "run_path", PR_ROLE_RUNNER},
                 {"trace-event", "run_module", PR_ROLE_RUNNER},
                 {"trace-event", "_run_module_as_main", 0}, /* python -c, seen by py-spy */
                 {"memray", "run_module", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct maker *maker = maker_new();
        const pr_frame_id statement = maker_frame(maker, "<module>", "<string>", 1, PR_FRAME_PYTHON);
        const pr_frame_id made = maker_frame(maker, "__init__", "<string>", 2, PR_FRAME_PYTHON);
        maker_frame(maker, cases[i].function, "<frozen runpy>", 1, PR_FRAME_PYTHON);
        maker_meta(maker)->format = cases[i].format;
        struct pr_profile *profile = maker_finish(maker);
        assert_int_equal(pr_role_of(profile, statement), cases[i].role);
        assert_int_equal(pr_role_of(profile, made), 0);
        pr_profile_free(profile);
    }
}

/* ---- other languages --------------------------------------------------------------------------------------------- */

struct whose {
    const char *function, *file;
    int is; /* enum pr_owner */
};

static void assert_whose(const struct whose *places, size_t count, uint32_t kind, const char *format)
{
    struct maker *maker = maker_new();
    maker_meta(maker)->format = format;
    for (size_t i = 0; i < count; i++)
        maker_frame(maker, places[i].function, places[i].file, 1, kind);
    struct pr_profile *profile = maker_finish(maker);
    assert_int_equal(pr_owner_settle(profile, NULL), PR_OK);
    for (pr_frame_id i = 0; i < count; i++)
        if ((int)pr_owner_of(profile, i) != places[i].is)
            fail_msg("%s (%s): %s, expected %s", places[i].function, places[i].file,
                     pr_owner_name(pr_owner_of(profile, i)), pr_owner_name((enum pr_owner)places[i].is));
    pr_profile_free(profile);
}

#define ASSERT_WHOSE(places, kind, format) assert_whose(places, sizeof(places) / sizeof *(places), kind, format)

static void node_is_the_standard_library_and_node_modules_are_libraries(void **state)
{
    static const struct whose places[] = {
        {"Hash", "node:internal/crypto/hash", PR_OWNER_STDLIB},
        {"createHash", "node:crypto", PR_OWNER_STDLIB},
        {"Module._compile", "internal/modules/cjs/loader.js", PR_OWNER_STDLIB}, /* Node 14 */
        {"emit", "events.js", PR_OWNER_STDLIB},
        {"makeText", "file:///app/jobs/wordcount.js", PR_OWNER_MINE},
        {"makeText", "/app/jobs/wordcount.js", PR_OWNER_MINE},
        {"map", "file:///app/node_modules/lodash/lodash.js", PR_OWNER_LIBRARY},
        {"map", "/app/.yarn/cache/lodash.zip/node_modules/lodash/map.js", PR_OWNER_LIBRARY},
        {"map", "webpack:///./node_modules/lodash/map.js", PR_OWNER_LIBRARY},
        {"map", "/app/my_node_modules/map.js", PR_OWNER_MINE},
        {"op_read", "ext:core/00_infra.js", PR_OWNER_STDLIB},
        {"render", "https://example.org/app.js", PR_OWNER_MINE},
        {"inject", "chrome-extension://abc/inject.js", PR_OWNER_LIBRARY},
    };
    (void)state;
    ASSERT_WHOSE(places, PR_FRAME_PYTHON, "cpuprofile");
}

static void go_is_judged_by_import_path(void **state)
{
    static const struct whose places[] = {
        {"runtime.goexit", "/usr/local/go/src/runtime/asm_amd64.s", PR_OWNER_STDLIB},
        {"main.main", "/home/me/shop/cmd/shop/main.go", PR_OWNER_MINE},
        {"main.main.func1.1", "/home/me/shop/cmd/shop/main.go", PR_OWNER_MINE},
        {"net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go", PR_OWNER_STDLIB},
        {"vendor/golang.org/x/net/idna.ToASCII", "/usr/local/go/src/vendor/golang.org/x/net/idna.go", PR_OWNER_STDLIB},
        {"github.com/lib/pq.(*conn).query", "/home/me/go/pkg/mod/github.com/lib/pq@v1.10.9/conn.go", PR_OWNER_LIBRARY},
        {"github.com/lib/pq.(*conn).query", "github.com/lib/pq@v1.10.9/conn.go", PR_OWNER_LIBRARY},
        {"github.com/me/shop/vendor/x.F", "/home/me/shop/vendor/x/x.go", PR_OWNER_LIBRARY},
        {"github.com/me/shop/cart.(*Cart[github.com/lib/pq.T]).Add", "/home/me/shop/cart/cart.go", PR_OWNER_MINE},
        {"shop/cart.Add", "/home/me/shop/cart/cart.go", PR_OWNER_MINE}, /* a module without a host */
        {"gopkg.in/yaml%2ev3.Unmarshal", "/home/me/go/pkg/mod/gopkg.in/yaml.v3@v3.0.1/yaml.go", PR_OWNER_LIBRARY},
        {"memeqbody", "/usr/local/go/src/internal/bytealg/equal_amd64.s", PR_OWNER_STDLIB},
    };
    static const struct whose trimmed[] = {
        {"main.main", "github.com/me/shop/cmd/shop/main.go", PR_OWNER_MINE},
        {"github.com/me/shop/cart.Add", "github.com/me/shop/cart/cart.go", PR_OWNER_MINE},
        {"github.com/me/shop/cart.Add", "", PR_OWNER_MINE},
        {"github.com/me/shopping.Add", "", PR_OWNER_LIBRARY},
        {"time.now", "runtime/time_linux_amd64.s", PR_OWNER_STDLIB},
    };
    static const struct whose names[] = {
        {"runtime.goexit", "", PR_OWNER_STDLIB},
        {"main.fib", "", PR_OWNER_MINE},
        {"encoding/json.(*decodeState).value", "", PR_OWNER_STDLIB},
        {"github.com/lib/pq.Open", "", PR_OWNER_LIBRARY},
    };
    (void)state;
    ASSERT_WHOSE(places, PR_FRAME_NATIVE, "pprof");
    ASSERT_WHOSE(trimmed, PR_FRAME_NATIVE, "pprof");
    ASSERT_WHOSE(names, PR_FRAME_NATIVE, "collapsed");
}

static void machine_code_is_judged_by_the_mapped_file(void **state)
{
    static const struct whose places[] = {
        {"main", "/app/jobs/hashtab", PR_OWNER_MINE},
        {"hashtab+0x1246", "/app/jobs/hashtab", PR_OWNER_MINE},
        {"_int_malloc", "/usr/lib/x86_64-linux-gnu/libc.so.6", PR_OWNER_STDLIB},
        {"0x7f8073ca57b9", "/lib/x86_64-linux-gnu/libstdc++.so.6", PR_OWNER_STDLIB},
        {"_dl_start", "/lib64/ld-linux-x86-64.so.2", PR_OWNER_STDLIB},
        {"deflate", "/usr/lib/x86_64-linux-gnu/libz.so.1.3", PR_OWNER_LIBRARY},
        {"deflate", "libz.so.1", PR_OWNER_LIBRARY},
        {"put", "/home/me/shop/build/libshop.so", PR_OWNER_MINE},
        {"_PyEval_EvalFrameDefault", "/usr/bin/python3.12", PR_OWNER_NATIVE},
        {"gc_collect_main", "/usr/lib/libpython3.11.so.1.0", PR_OWNER_NATIVE},
        {"[unknown]", "[unknown]", PR_OWNER_NATIVE},
        {"put", "/app/jobs/hashtab.c", PR_OWNER_MINE},
        {"put", "./string/table.cc", PR_OWNER_STDLIB}, /* as the C library's own build names its sources */
        {"put", "src/table.cc", PR_OWNER_MINE},
        {"__GI___strdup", "./string/strdup.c", PR_OWNER_STDLIB},
        {"__libc_start_main_impl", "../csu/libc-start.c", PR_OWNER_STDLIB},
        {"strdup", "strdup.c", PR_OWNER_STDLIB},
        {"put", "hashtab.c", PR_OWNER_MINE},
        {"sort", "/usr/include/c++/12/bits/stl_algo.h", PR_OWNER_STDLIB},
        {"compress", "/home/me/shop/third_party/zstd/lib/compress.c", PR_OWNER_LIBRARY},
    };
    static const struct whose names[] = {
        {"main", "", PR_OWNER_MINE},
        {"put", "", PR_OWNER_MINE},
        {"__strcmp_avx2", "", PR_OWNER_STDLIB},
        {"malloc", "", PR_OWNER_STDLIB},
        {"std::vector<Order, std::allocator<Order> >::push_back(Order const&)", "", PR_OWNER_STDLIB},
        {"void std::__introsort_loop<Order*>(Order*, Order*)", "", PR_OWNER_STDLIB},
        {"bool shop::less<std::string>(std::string const&)", "", PR_OWNER_MINE},
        {"boost::asio::io_context::run()", "", PR_OWNER_LIBRARY},
        {"operator new(unsigned long)", "", PR_OWNER_STDLIB},
        {"(anonymous namespace)::work(int)", "", PR_OWNER_MINE},
        {"[unknown]", "", PR_OWNER_NATIVE},
    };
    (void)state;
    ASSERT_WHOSE(places, PR_FRAME_NATIVE, "perf");
    ASSERT_WHOSE(names, PR_FRAME_NATIVE, "collapsed");
}

static void rust_is_judged_by_crate(void **state)
{
    static const struct whose places[] = {
        {"std::rt::lang_start::{{closure}}", "/rustc/90b35a623/library/std/src/rt.rs", PR_OWNER_STDLIB},
        {"shop::main", "/home/me/shop/src/main.rs", PR_OWNER_MINE},
        {"shop_core::cart::add", "", PR_OWNER_MINE},
        {"serde_json::de::from_str", "", PR_OWNER_LIBRARY},
        {"serde_json::de::from_str", "/home/me/.cargo/registry/src/index-6f17d22bba15001f/serde_json/de.rs",
         PR_OWNER_LIBRARY},
        {"<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend", "", PR_OWNER_STDLIB},
        {"<shop::Cart as core::fmt::Display>::fmt", "", PR_OWNER_MINE},
        {"<&mut serde::Value as core::fmt::Debug>::fmt", "", PR_OWNER_LIBRARY},
        {"core::str::count", "", PR_OWNER_STDLIB},
        {"malloc", "/lib/x86_64-linux-gnu/libc.so.6", PR_OWNER_STDLIB},
    };
    (void)state;
    ASSERT_WHOSE(places, PR_FRAME_NATIVE, "pprof");
}

static void the_jvm_is_judged_by_package(void **state)
{
    static const struct whose places[] = {
        {"java/lang/Thread.run", "", PR_OWNER_STDLIB},
        {"java/util/HashMap.put_[j]", "", PR_OWNER_STDLIB},
        {"com/acme/shop/Main.main", "", PR_OWNER_MINE},
        {"com/acme/shop/Cart$Item.add_[i]", "", PR_OWNER_MINE},
        {"com/other/Lib.call", "", PR_OWNER_LIBRARY},
        {"org.apache.spark.rdd.RDD.map", "", PR_OWNER_LIBRARY},
        {"scala.collection.immutable.List.foreach", "", PR_OWNER_STDLIB},
        {"Lsun/nio/ch/Net;::poll", "", PR_OWNER_STDLIB},
        {"kotlin.collections.CollectionsKt.map", "", PR_OWNER_STDLIB},
    };
    static const struct whose sources[] = {
        {"java.lang.Thread.run", "Thread.java", PR_OWNER_STDLIB},
        {"com.acme.shop.Cart.add", "Cart.kt", PR_OWNER_MINE},
        {"org.springframework.Web.get", "Web.java", PR_OWNER_LIBRARY},
    };
    (void)state;
    ASSERT_WHOSE(places, PR_FRAME_NATIVE, "collapsed");
    ASSERT_WHOSE(sources, PR_FRAME_PYTHON, "pprof");
}

static void ruby_and_dotnet_have_their_own_trees(void **state)
{
    static const struct whose ruby[] = {
        {"block in Cart#add", "/app/lib/cart.rb", PR_OWNER_MINE},
        {"call", "/usr/lib/ruby/gems/3.2.0/gems/rack-3.0.8/lib/rack.rb", PR_OWNER_LIBRARY},
        {"call", "/app/vendor/bundle/ruby/3.2.0/rack.rb", PR_OWNER_LIBRARY},
        {"parse", "/usr/lib/ruby/3.2.0/json/common.rb", PR_OWNER_STDLIB},
        {"tap", "<internal:kernel>", PR_OWNER_STDLIB},
    };
    static const struct whose dotnet[] = {
        {"System.Private.CoreLib!System.Threading.Thread.StartCallback()", "", PR_OWNER_STDLIB},
        {"Microsoft.AspNetCore.Server.Kestrel.Core!Run()", "", PR_OWNER_STDLIB},
        {"Shop!Shop.Cart.Add(class System.String)", "", PR_OWNER_MINE},
    };
    (void)state;
    ASSERT_WHOSE(ruby, PR_FRAME_PYTHON, "speedscope");
    ASSERT_WHOSE(dotnet, PR_FRAME_NATIVE, "speedscope");
}

static void python_without_folders_or_files_is_still_told_apart(void **state)
{
    static const struct whose shorted[] = {
        {"make_csv", "etl.py", PR_OWNER_MINE},
        {"load", "sales/load.py", PR_OWNER_MINE},
        {"DictReader.__next__", "csv.py", PR_OWNER_STDLIB},
        {"decode", "json/decoder.py", PR_OWNER_STDLIB},
        {"forward", "torch/nn/modules/linear.py", PR_OWNER_LIBRARY},
    };
    static const struct whose whole[] = {
        {"load", "/srv/app/etl.py", PR_OWNER_MINE},
        {"load", "csv.py", PR_OWNER_MINE}, /* a relative path beside whole ones is what the user typed */
    };
    static const struct whose names[] = {
        {"_find_and_load", "", PR_OWNER_STDLIB},
        {"_call_with_frames_removed", "", PR_OWNER_STDLIB},
        {"load", "", PR_OWNER_MINE},
    };
    (void)state;
    ASSERT_WHOSE(shorted, PR_FRAME_PYTHON, "collapsed");
    ASSERT_WHOSE(whole, PR_FRAME_PYTHON, "speedscope");
    ASSERT_WHOSE(names, PR_FRAME_PYTHON, "perf");
    ASSERT_WHOSE(names, PR_FRAME_NATIVE, "collapsed");
}

static void what_the_kernel_calls_is_the_kernel(void **state)
{
    (void)state;
    struct maker *maker = maker_new();
    const pr_frame_id main = maker_frame(maker, "main", "", 0, PR_FRAME_NATIVE);
    const pr_frame_id entry = maker_frame(maker, "asm_exc_page_fault", "", 0, PR_FRAME_NATIVE);
    const pr_frame_id fault = maker_frame(maker, "handle_mm_fault", "", 0, PR_FRAME_NATIVE);
    const pr_frame_id both = maker_frame(maker, "walk", "", 0, PR_FRAME_NATIVE);
    const pr_node_id top = maker_node(maker, PR_ROOT, main), below = maker_node(maker, top, entry);
    maker_node(maker, maker_node(maker, below, fault), both);
    maker_node(maker, top, both);
    struct pr_profile *profile = maker_finish(maker);
    assert_int_equal(pr_owner_settle(profile, NULL), PR_OK);
    assert_int_equal(pr_owner_of(profile, main), PR_OWNER_MINE);
    assert_int_equal(pr_owner_of(profile, entry), PR_OWNER_KERNEL);
    assert_int_equal(pr_owner_of(profile, fault), PR_OWNER_KERNEL);
    assert_int_equal(pr_owner_of(profile, both), PR_OWNER_MINE);
    pr_profile_free(profile);
}

static void labels_processes_and_threads_are_nobodys(void **state)
{
    static const struct whose labels[] = {{"endpoint: /parse", "", PR_OWNER_NONE}, {"(idle)", "", PR_OWNER_NONE}};
    static const struct whose seen[] = {{"process 2370:\"python x.py\"", "", PR_OWNER_NONE},
                                        {"thread (2418): worker", "", PR_OWNER_NONE}};
    (void)state;
    ASSERT_WHOSE(labels, PR_FRAME_OTHER, "pprof");
    ASSERT_WHOSE(seen, PR_FRAME_NATIVE, "collapsed");
}

/* ---- what starts a program --------------------------------------------------------------------------------------- */

struct starter {
    const char *function, *file;
    uint32_t kind;
    unsigned role;
};

static void what_starts_threads_loops_and_main_is_a_runner(void **state)
{
    static const struct starter frames[] = {
        {"_bootstrap", "/usr/lib/python3.12/threading.py", PR_FRAME_PYTHON, PR_ROLE_RUNNER},
        {"Thread._bootstrap_inner", "/usr/lib/python3.12/threading.py", PR_FRAME_PYTHON, PR_ROLE_RUNNER},
        {"Thread.run", "threading.py", PR_FRAME_PYTHON, PR_ROLE_RUNNER},
        {"wait", "/usr/lib/python3.12/threading.py", PR_FRAME_PYTHON, 0},
        {"run", "/home/me/my_threading.py", PR_FRAME_PYTHON, 0},
        {"_worker", "/usr/lib/python3.12/concurrent/futures/thread.py", PR_FRAME_PYTHON, PR_ROLE_RUNNER},
        {"BaseEventLoop._run_once", "/usr/lib/python3.12/asyncio/base_events.py", PR_FRAME_PYTHON, PR_ROLE_RUNNER},
        {"Handle._run", "/usr/lib/python3.12/asyncio/events.py", PR_FRAME_PYTHON, PR_ROLE_RUNNER},
        {"_multicall", "/venv/lib/python3.12/site-packages/pluggy/_callers.py", PR_FRAME_PYTHON, PR_ROLE_RUNNER},
        {"(anonymous)", "node:internal/main/run_main_module", PR_FRAME_PYTHON, PR_ROLE_RUNNER},
        {"listOnTimeout", "node:internal/timers", PR_FRAME_PYTHON, PR_ROLE_RUNNER},
        {"Module._compile", "node:internal/modules/cjs/loader", PR_FRAME_PYTHON, PR_ROLE_IMPORT},
        {"Hash", "node:internal/crypto/hash", PR_FRAME_PYTHON, 0},
        {"runtime.goexit", "", PR_FRAME_NATIVE, PR_ROLE_RUNNER},
        {"runtime.mallocgc", "", PR_FRAME_NATIVE, 0},
        {"main.main", "", PR_FRAME_NATIVE, 0},
        {"_start", "/app/hashtab", PR_FRAME_NATIVE, PR_ROLE_RUNNER},
        {"__libc_start_call_main", "../sysdeps/nptl/libc_start_call_main.h", PR_FRAME_NATIVE, PR_ROLE_RUNNER},
        {"java/util/concurrent/ThreadPoolExecutor.runWorker_[j]", "", PR_FRAME_NATIVE, PR_ROLE_RUNNER},
        {"java.lang.Thread.run", "Thread.java", PR_FRAME_PYTHON, PR_ROLE_RUNNER},
        {"java.lang.Thread.runs", "Thread.java", PR_FRAME_PYTHON, 0},
        {"_find_and_load", "", PR_FRAME_PYTHON, PR_ROLE_IMPORT},
    };
    (void)state;
    const size_t count = sizeof frames / sizeof *frames;
    struct maker *maker = maker_new();
    for (size_t i = 0; i < count; i++)
        maker_frame(maker, frames[i].function, frames[i].file, 1, frames[i].kind);
    struct pr_profile *profile = maker_finish(maker);
    assert_int_equal(pr_owner_settle(profile, NULL), PR_OK);
    for (pr_frame_id i = 0; i < count; i++)
        if (pr_role_of(profile, i) != frames[i].role)
            fail_msg("%s (%s): role %u, expected %u", frames[i].function, frames[i].file, pr_role_of(profile, i),
                     frames[i].role);
    pr_profile_free(profile);
}

/* The frame called FUNCTION, with its role. */
static unsigned role_of_function(const struct pr_profile *profile, const char *function)
{
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        if (strcmp(pr_profile_text(profile, profile->frames[i].function).bytes, function) == 0)
            return pr_role_of(profile, i);
    fail_msg("no frame %s", function);
    return 0;
}

static void what_a_profiler_imports_is_its_own_until_the_script_starts(void **state)
{
#define MEMRAY "main@/v/site-packages/memray/__main__.py:1 run@/v/site-packages/memray/commands/run.py:9 "
    (void)state;
    struct maker *maker = maker_new();
    const unsigned cpu = maker_metric(maker, "cpu", "CPU", PR_UNIT_NANOSECONDS, NULL);
    const uint32_t thread = maker_thread(maker, 1, "main");
    static const struct {
        const char *stack;
        int64_t ns;
    } stacks[] = {
        {MEMRAY "import@/usr/lib/python3.12/importlib/_bootstrap.py:1 app@/v/site-packages/textual/app.py:1 "
                "compile@/usr/lib/python3.12/re/__init__.py:1",
         1300},
        {MEMRAY
         "run_path@/usr/lib/python3.12/runpy.py:9 main@/home/me/job.py:3 compile@/usr/lib/python3.12/re/__init__.py:1",
         500},
        {"_run@/usr/lib/python3.12/runpy.py:9 init@/v/site-packages/memray/__init__.py:1 "
         "rich@/v/site-packages/rich/x.py:1",
         90},
        {MEMRAY "run_path@/usr/lib/python3.12/runpy.py:9 go@/v/site-packages/tool/cli.py:3", 70},
    };
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
        maker_value(maker, maker_fact(maker, maker_stack(maker, stacks[i].stack), thread, PR_ALLOC_NONE), cpu,
                    stacks[i].ns, 0);
    struct pr_profile *profile = maker_finish(maker);
    assert_int_equal(pr_owner_settle(profile, NULL), PR_OK);
    assert_int_equal(role_of_function(profile, "app"), PR_ROLE_RUNNER);
    assert_int_equal(role_of_function(profile, "rich"), PR_ROLE_RUNNER);
    assert_int_equal(role_of_function(profile, "compile"), PR_ROLE_START);
    assert_int_equal(role_of_function(profile, "go"), 0);
    const char *name;
    assert_int_equal(pr_profiler_start_up(profile, cpu, &name), 1390);
    assert_string_equal(name, "memray");
    pr_profile_free(profile);
}

/* Places that no symbol names are decided once for each file: as each by itself would be. */
static void places_of_a_file_are_decided_alike(void **state)
{
    static const struct {
        const char *function, *file;
    } frames[] = {
        {"libz.so.1+0x8f2", "/usr/lib/libz.so.1"},
        {"libc.so.6+0x8f2", "/usr/lib/libc.so.6"},
        {"libz.so.1+0xabc", "/usr/lib/libz.so.1"},
        {"_PyEval_Vector+0x8f2", "/home/me/_PyEval_Vector"},
        {"job+0xdead", "/home/me/job"},
        {"job+0x0", "/home/me/job"},
        {"clone+0x12", "/home/me/job"}, /* not of this module */
        {"clone", "/home/me/job"},      /* with a symbol */
        {"ob+0x12", "/home/me/job"},    /* not the whole last part */
        {"job+0x", "/home/me/job"},     /* without digits */
        {"job+0x12::main", "/home/me/job"},
        {"+0x12", "/home/me/"},
        {"libc.so.6+0x1", "libc.so.6"},
        {"libc.so.6+0x1", ""},
    };
    struct maker *maker = maker_new();
    (void)state;
    for (size_t i = 0; i < 2 * sizeof frames / sizeof *frames; i++)
        maker_frame(maker, frames[i / 2].function, frames[i / 2].file, (int)i % 2,
                    i % 2 ? PR_FRAME_PYTHON : PR_FRAME_NATIVE);
    struct pr_profile *profile = maker_finish(maker);
    assert_int_equal(profile->frame_count, 2 * sizeof frames / sizeof *frames);
    uint8_t owner[2 * sizeof frames / sizeof *frames];
    unsigned role[2 * sizeof frames / sizeof *frames];
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        owner[i] = (uint8_t)pr_owner_of(profile, i);
        role[i] = pr_role_of(profile, i);
    }
    assert_int_equal(pr_owner_settle(profile, NULL), PR_OK);
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        if (owner[i] != pr_owner_of(profile, i) || role[i] != pr_role_of(profile, i))
            fail_msg("%s in %s", frames[i / 2].function, frames[i / 2].file);
    pr_profile_free(profile);
}

/* What all frames show together is found once; its texts stay when the table of strings moves. */
static void what_the_frames_show_stays_while_strings_are_added(void **state)
{
    (void)state;
    struct maker *maker = maker_new();
    maker_frame(maker, "main.main", "/home/me/go/src/github.com/me/app/main.go", 1, PR_FRAME_NATIVE);
    maker_frame(maker, "runtime.goexit", "/usr/lib/go/src/runtime/asm.s", 1, PR_FRAME_NATIVE);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_code_world world;
    assert_null(profile->world);
    assert_int_equal(pr_owner_settle(profile, NULL), PR_OK);
    assert_non_null(profile->world);
    for (int i = 0; i < 20000; i++) {
        char name[32];
        const int length = snprintf(name, sizeof name, "name %d", i);
        assert_int_not_equal(pr_strings_add(&profile->strings, name, (uint32_t)length), PR_NO_STR);
    }
    pr_code_world_look(profile, &world);
    assert_true(world.has_go);
    assert_int_equal(world.go_module.length, strlen("github.com/me/app"));
    assert_memory_equal(world.go_module.bytes, "github.com/me/app", world.go_module.length);
    pr_profile_free(profile);
}

static void owners_have_names_for_people(void **state)
{
    (void)state;
    assert_string_equal(pr_owner_name(PR_OWNER_MINE), "my code");
    assert_string_equal(pr_owner_name(PR_OWNER_KERNEL), "kernel");
    assert_string_equal(pr_owner_name(PR_OWNER_COUNT), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_paths_the_look_of_installed_trees_decides),
        cmocka_unit_test(paths_of_the_header_decide),
        cmocka_unit_test(scripts_that_came_with_a_library_are_its_own),
        cmocka_unit_test(names_in_angles_are_of_the_interpreter_the_user_or_a_library),
        cmocka_unit_test(native_and_kernel_frames_are_known_by_their_kind),
        cmocka_unit_test(runners_and_the_import_system_are_known),
        cmocka_unit_test(the_statement_of_a_profiler_is_a_runner),
        cmocka_unit_test(node_is_the_standard_library_and_node_modules_are_libraries),
        cmocka_unit_test(go_is_judged_by_import_path),
        cmocka_unit_test(machine_code_is_judged_by_the_mapped_file),
        cmocka_unit_test(rust_is_judged_by_crate),
        cmocka_unit_test(the_jvm_is_judged_by_package),
        cmocka_unit_test(ruby_and_dotnet_have_their_own_trees),
        cmocka_unit_test(python_without_folders_or_files_is_still_told_apart),
        cmocka_unit_test(what_the_kernel_calls_is_the_kernel),
        cmocka_unit_test(labels_processes_and_threads_are_nobodys),
        cmocka_unit_test(what_starts_threads_loops_and_main_is_a_runner),
        cmocka_unit_test(what_a_profiler_imports_is_its_own_until_the_script_starts),
        cmocka_unit_test(places_of_a_file_are_decided_alike),
        cmocka_unit_test(what_the_frames_show_stays_while_strings_are_added),
        cmocka_unit_test(owners_have_names_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
