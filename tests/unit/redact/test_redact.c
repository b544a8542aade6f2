/* SPDX-License-Identifier: Apache-2.0 */
/* Texts lose their secrets and nothing else: a case for each form, and a similar one that is not a secret. */
#include "capture/base/text.h"
#include "tests/support/unit.h"

#include "capture/redact/redact.h"
#include "capture/redact/secret_names.h"

#include <stdio.h>
#include <string.h>

#define R PR_REDACTED
#define B64 "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ"

struct redacted {
    const char *text, *expected; /* NULL: as it was */
};

/* ---- ways ------------------------------------------------------------------------------------------------------- */

/* Words are separated by '|' in TEXT. */
static void redact_words(struct pr_buf *out, const char *text)
{
    struct pr_redactor redactor = {0};
    for (const char *at = text; at;) {
        const char *end = strchr(at, '|');
        pr_redact_word(&redactor, out, (struct pr_text){at, (uint32_t)(end ? (size_t)(end - at) : strlen(at))});
        if (end)
            pr_buf_text(out, "|");
        at = end ? end + 1 : NULL;
    }
}

static void redact_line(struct pr_buf *out, const char *text)
{
    pr_redact(out, pr_text_of(text));
}

static void redact_log(struct pr_buf *out, const char *text)
{
    pr_redact_log(out, pr_text_of(text));
}

/* Also checks that redacting again changes nothing. */
static void check_all(void (*redact)(struct pr_buf *out, const char *text), const struct redacted *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *expected = cases[i].expected ? cases[i].expected : cases[i].text;
        struct pr_buf once = {0}, twice = {0};
        pr_buf_text(&once, "");
        redact(&once, cases[i].text);
        assert_false(once.failed);
        assert_string_equal(once.bytes, expected);
        pr_buf_text(&twice, "");
        redact(&twice, once.bytes);
        assert_string_equal(twice.bytes, expected);
        pr_buf_clear(&once);
        pr_buf_clear(&twice);
    }
}

#define CHECK(redact, cases) check_all(redact, cases, sizeof(cases) / sizeof *(cases))

/* ---- arguments -------------------------------------------------------------------------------------------------- */

static void values_of_secret_options_are_hidden_whole(void **state)
{
    static const struct redacted cases[] = {
        {"x.py|--password|first second third|-v", "x.py|--password|" R "|-v"},
        {"x.py|--password|-dash", "x.py|--password|" R},
        {"x.py|--password=first second", "x.py|--password=" R},
        {"env|DB_PASSWORD=first second|x.py", "env|DB_PASSWORD=" R "|x.py"},
        {"x.py|--api-key=abc|--apiKey|abc", "x.py|--api-key=" R "|--apiKey|" R},
        {"x.py|--auth-token|a b", "x.py|--auth-token|" R},
        {"java|-Dspring.datasource.password=x y", "java|-Dspring.datasource.password=" R},
        {"docker|build|--build-arg|NPM_TOKEN=a b", "docker|build|--build-arg|NPM_TOKEN=" R},
        {"tool|pass:hunter2|password:hunter2", "tool|pass:" R "|password:" R},
        {"x.py|--client-secret|s|--pass|p|--key|k", "x.py|--client-secret|" R "|--pass|" R "|--key|" R},
    };
    (void)state;
    CHECK(redact_words, cases);
}

static void options_about_a_secret_are_not_one(void **state)
{
    static const struct redacted cases[] = {
        {"x.py|--token-file|/run/token|--password-stdin|--max-tokens|512", NULL},
        {"x.py|--no-password|db|--tokenizer|bert|--monkey=1|--author|me|--passes|3", NULL},
        {"x.py|--eos-token=</s>|--next_token|abc|--secret-name|prod/db|--token-ttl=60", NULL},
        {"x.py|--token|", NULL},
        {"env|PWD=/home/me|OLDPWD=/|PATH=/bin|x.py", NULL},
        {"make|key:value|sort-keys|--keyboard=us", NULL},
        {"x.py|--user|ada|--name|a b c|--day|2026-01-01", NULL},
    };
    (void)state;
    CHECK(redact_words, cases);
}

static void letters_mean_what_they_mean_to_the_program(void **state)
{
    static const struct redacted cases[] = {
        {"curl|-u|admin:hunter2|https://h/", "curl|-u|admin:" R "|https://h/"},
        {"curl|-uadmin:hunter2", "curl|-uadmin:" R},
        {"curl|--proxy-user|a:b c", "curl|--proxy-user|a:" R},
        {"curl|--user=admin:hunter2", "curl|--user=admin:" R},
        {"curl|--proxy-user=a:b c", "curl|--proxy-user=a:" R},
        {"x|--user=ada|--user=1000:1000|--user-agent=a:b|--user|--x", NULL},
        {"curl|-b|session=abc", "curl|-b|" R},
        {"/usr/bin/mysql|-phunter|-h|db", "/usr/bin/mysql|-p" R "|-h|db"},
        {"sudo|mysqldump|-plower", "sudo|mysqldump|-p" R},
        {"sshpass|-p|a b|ssh|h", "sshpass|-p|" R "|ssh|h"},
        {"redis-cli|-a|abc|get|x", "redis-cli|-a|" R "|get|x"},
        {"tool|-pHunter2|-p|8080", "tool|-p" R "|-p|8080"},
        {"docker|login|-u|me|-p|abc", "docker|login|-u|me|-p|" R},
        {"smbclient|-U|me%abc|//h/s", "smbclient|-U|me%" R "|//h/s"},
        {"openssl|enc|-k|abc|-passin|pass:abc", "openssl|enc|-k|" R "|-passin|pass:" R},
        {"aws|configure|set|aws_secret_access_key|abc", "aws|configure|set|aws_secret_access_key|" R},
        {"7z|a|-psecret|x.7z", "7z|a|-p" R "|x.7z"},
        {"rar|a|-hpa b|x.rar", "rar|a|-hp" R "|x.rar"},
        {"/usr/bin/rar|a|-psecret|x.rar", "/usr/bin/rar|a|-p" R "|x.rar"},
        {"xfreerdp|/u:ada|/p:a b|/v:host", "xfreerdp|/u:ada|/p:" R "|/v:host"},
        {"xfreerdp3|/gp:secret|/g:gate", "xfreerdp3|/gp:" R "|/g:gate"},
        {"rdesktop|-u|ada|-p|secret|host", "rdesktop|-u|ada|-p|" R "|host"},
    };
    static const struct redacted kept[] = {
        {"tool|-p|8080|-p8080|-p8080:80|-p127.0.0.1:80:80", NULL},
        {"docker|run|-u|1000:1000|-u|app:app|-p|80:80|-p80:80", NULL},
        {"cc|-pthread|-pipe|-pedantic|-pg|-p", NULL},
        {"python|-u|script.py|-pno:cacheprovider", NULL},
        {"patch|-p1|-p./dir|-p/usr/lib", NULL},
        {"tool|-u|localhost:8080|-u|db.example.com:5432|-u|https://h:80/", NULL},
        {"mysql|-p|mydb", NULL},
        {"date|-u|+%s|-U|100%", NULL},
        {"msbuild|/p:Configuration=Release|/p:x", NULL},
        {"tool|-hpx|-hp|rar|-hp", NULL},
        {"find|/p:x|/gp:x", NULL},
        {"tool|set|-x|day|set|color|red", NULL},
    };
    (void)state;
    CHECK(redact_words, cases);
    CHECK(redact_words, kept);
}

static void headers_are_hidden_in_one_argument_and_in_several(void **state)
{
    static const struct redacted cases[] = {
        {"curl|-H|Authorization: Bearer abc.def", "curl|-H|Authorization: Bearer " R},
        {"curl|-H|Authorization:Bearer abc", "curl|-H|Authorization:Bearer " R},
        {"curl|-H|authorization: abc def", "curl|-H|authorization: " R},
        {"curl|-H|Cookie: session=abc; other=def", "curl|-H|Cookie: " R},
        {"curl|-H|X-Api-Key:abc|-H|X-Auth-Token: abc def", "curl|-H|X-Api-Key:" R "|-H|X-Auth-Token: " R},
        {"curl|--header=Authorization: Basic YTpi", "curl|--header=Authorization: Basic " R},
        {"curl|-HX-Api-Key: abc", "curl|-HX-Api-Key: " R},
        {"echo|Authorization:|Bearer|abc|next", "echo|Authorization:|Bearer|" R "|next"},
        {"curl|-H|Content-Type: application/json|-H|Accept: */*", NULL},
    };
    (void)state;
    CHECK(redact_words, cases);
}

static void addresses_lose_passwords_and_signatures(void **state)
{
    static const struct redacted cases[] = {
        {"x|postgres://me:p@w@db/x|https://abc@example.com/x",
         "x|postgres://me:" R "@db/x|https://" R "@example.com/x"},
        {"x|https://h/x?a=1&token=abc&b=2", "x|https://h/x?a=1&token=" R "&b=2"},
        {"x|https://h/x?X-Amz-Credential=a%2Fb&X-Amz-Signature=abc&X-Amz-Date=1",
         "x|https://h/x?X-Amz-Credential=" R "&X-Amz-Signature=" R "&X-Amz-Date=1"},
        {"x|https://a.blob.core/x?sv=2020&sig=a%3D&se=1", "x|https://a.blob.core/x?sv=2020&sig=" R "&se=1"},
        {"x|https://h/?next=https%3A%2F%2Fg%2F%3Ftoken%3Dabc", "x|https://h/?next=https%3A%2F%2Fg%2F%3Ftoken%3D" R},
        {"x|me:hunter2@db.example.com:5432/x", "x|me:" R "@db.example.com:5432/x"},
        {"x|--url=redis://:abc@h:6379/0", "x|--url=redis://:" R "@h:6379/0"},
        {"x|DefaultEndpointsProtocol=https;AccountName=a;AccountKey=abc==;EndpointSuffix=s",
         "x|DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" R ";EndpointSuffix=s"},
        {"x|host=h user=u password=abc dbname=d", "x|host=h user=u password=" R " dbname=d"},
        {"x|https://hooks.slack.com/services/T00/B00/abcdef", "x|https://" R},
    };
    static const struct redacted kept[] = {
        {"x|https://example.com/a@b:c|user@host:path|file://x/y@z|git@github.com:o/r.git|ssh://git@h/r", NULL},
        {"x|https://h/x?page=2&sort=name&country_code=de#key|mailto:a@b.com|npm:react@18.2.0", NULL},
        {"x|python:3.12@sha256:0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9", NULL},
        {"x|https://h:8443/x|s3://bucket/key=1/part", NULL},
    };
    (void)state;
    CHECK(redact_words, cases);
    CHECK(redact_words, kept);
}

static void members_are_hidden_in_json_and_xml(void **state)
{
    static const struct redacted cases[] = {
        {"x|{\"password\":\"abc\",\"user\":\"ada\"}", "x|{\"password\":\"" R "\",\"user\":\"ada\"}"},
        {"x|{'api_key': 'a b', 'n': 1}", "x|{'api_key': '" R "', 'n': 1}"},
        {"x|\"{\\\"token\\\": \\\"abc\\\"}\"", "x|\"{\\\"token\\\": \\\"" R "\\\"}\""},
        {"x|{\"password\":12345}", "x|{\"password\":" R "}"},
        {"x|{\"password\":\"a\\\"b\",\"n\":1}", "x|{\"password\":\"" R "\",\"n\":1}"},
        {"x|{\"secrets\": [\"a\", \"b\"], \"n\": 1}", "x|{\"secrets\": " R ", \"n\": 1}"},
        {"x|<password>abc</password>", "x|<password>" R "</password>"},
        {"x|user[password]=abc", "x|user[password]=" R},
        {"x|{\"max_tokens\":512,\"key\":\"name\",\"tokenizer\":\"x\",\"password\":null}", NULL},
    };
    (void)state;
    CHECK(redact_words, cases);
}

static void scripts_are_read_as_such(void **state)
{
    static const struct redacted cases[] = {
        {"bash|-c|export TOKEN=\"aa bb\"; mysql --password=\"x\" -e 1",
         "bash|-c|export TOKEN=\"" R "\"; mysql --password=\"" R "\" -e 1"},
        {"bash|-c|TOKEN=abc python x.py", "bash|-c|TOKEN=" R " python x.py"},
        {"bash|-c|curl -u a:b https://h; mysql -psecret", "bash|-c|curl -u a:" R " https://h; mysql -p" R},
        {"bash|-c|x --token abc --verbose", "bash|-c|x --token " R " --verbose"},
        {"bash|-c|TOKEN=a\\ b x", "bash|-c|TOKEN=" R " x"},
        {"bash|-c|x --password \"$DB_PASSWORD\" --token ${TOKEN}", NULL},
        {"python|-c|print(sorted(x, key=len)); auth = get(); token = next(it)", NULL},
    };
    (void)state;
    CHECK(redact_words, cases);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static void lines_of_blanks_lose_the_next_word(void **state)
{
    static const struct redacted cases[] = {
        {"x.py --password hunter2 -v", "x.py --password " R " -v"},
        {"x.py --api-key=abc --apikey abc", "x.py --api-key=" R " --apikey " R},
        {"env GITHUB_TOKEN=abc DB_PASSWORD=a=b x.py", "env GITHUB_TOKEN=" R " DB_PASSWORD=" R " x.py"},
        {"curl -H Authorization: Bearer abc.def next", "curl -H Authorization: Bearer " R " next"},
        {"curl -H X-Api-Key: abc", "curl -H X-Api-Key: " R},
        {"curl -H Cookie: a=b; c=d next", "curl -H Cookie: " R " next"},
        {"curl -u ada:pw https://h", "curl -u ada:" R " https://h"},
        {"mysql -psecret -h db", "mysql -p" R " -h db"},
        {"curl --user=admin:hunter2 https://h/", "curl --user=admin:" R " https://h/"},
        {"curl --proxy-user 'a:b c' https://h/", "curl --proxy-user 'a:" R "' https://h/"},
        {"x.py postgres://me:p@w@db/x", "x.py postgres://me:" R "@db/x"},
        {"x.py --from=AKIAIOSFODNN7EXAMPLE", "x.py --from=" R},
        {"rar a -hpsecret x.rar; rar x '-hpa b' x.rar", "rar a -hp" R " x.rar; rar x '-hp" R "' x.rar"},
        {"xfreerdp /u:ada /p:secret /v:h", "xfreerdp /u:ada /p:" R " /v:h"},
        {"xfreerdp /p:'a b' /v:h", "xfreerdp /p:'" R "' /v:h"},
    };
    static const struct redacted kept[] = {
        {"", NULL},
        {"  jobs/etl.py  --day 2026-01-01\t-v ", NULL},
        {"train.py --max-tokens=512 --tokenizer bert --monkey=1 --keyboard us --author me --passes 3", NULL},
        {"x.py https://example.com/a@b:c user@host:path file://x/y@z", NULL},
        {"docker run --user 1000:1000 --user=ada x", NULL},
        {"x.py --token", NULL},
        {"x.py --auth-token -v on", NULL},
        {"x.py --flag --token= -v", NULL},
        {"x.py ghp_short sk-learn", NULL},
        {"x.py --code 3 --code=4 -code 5 --exit-code 6", NULL}, /* a status: `code` is a secret in addresses only */
    };
    (void)state;
    CHECK(redact_line, cases);
    CHECK(redact_line, kept);
}

static void bytes_that_are_not_text_do_no_harm(void **state)
{
    (void)state;
    struct pr_buf out = {0};
    pr_redact(&out, (struct pr_text){"a\0--key\0b\xff= \xff", 13});
    assert_int_equal(out.length, 20);
    assert_memory_equal(out.bytes, "a\0--key\0" PR_REDACTED " \xff", 20);
    pr_buf_clear(&out);
}

/* ---- logs ------------------------------------------------------------------------------------------------------- */

static void logs_lose_values_and_keep_sentences(void **state)
{
    static const struct redacted cases[] = {
        {"password is Hunter2\npassword = x9\n", "password is " R "\npassword = " R "\n"},
        {"{\"secret\":\"x\"}\n", "{\"secret\":\"" R "\"}\n"},
        {"using \"ghp_abcdefghijklmnopqrstuvwxyzabcdefghij\"\n", "using \"" R "\"\n"},
        {"API key: abc123, access token: 'x y'\n", "API key: " R ", access token: '" R "'\n"},
        {"> Authorization: Bearer abc def\n< 200\n", "> Authorization: Bearer " R "\n< 200\n"},
        {"headers={'Authorization': 'Bearer abc', 'A': 'b'}", "headers={'Authorization': 'Bearer " R "', 'A': 'b'}"},
        {"sent Bearer abcDEF123456 to h", "sent Bearer " R " to h"},
        {"+ mysql -psecret\n+ curl -u a:b h\n", "+ mysql -p" R "\n+ curl -u a:" R " h\n"},
        {"machine h login ada password x9\n", "machine h login ada password " R "\n"},
        {"CREATE USER a IDENTIFIED BY 'x y'", "CREATE USER a IDENTIFIED BY '" R "'"},
        {"cannot connect to postgres://me:pw@db:5432/x", "cannot connect to postgres://me:" R "@db:5432/x"},
        {"{'X-Auth-Token': b'abc', 'n': 1}", "{'X-Auth-Token': b'" R "', 'n': 1}"},
        {"Config(token=SecretStr(\"abc\"), n=1)", "Config(token=SecretStr(\"" R "\"), n=1)"},
        {"db.password -> abc; pass=abc pw=abc", "db.password -> " R "; pass=" R " pw=" R},
        {"dsn='host=h password=abc'", "dsn='host=h password=" R "'"},
        {"- name: DB_PASSWORD\n  value: Hunter2\n- name: MODE\n  value: fast\n",
         "- name: DB_PASSWORD\n  value: " R "\n- name: MODE\n  value: fast\n"},
        {"[{\"name\": \"TOKEN\", \"value\": \"x y\"}, {\"name\": \"MODE\", \"value\": \"fast\"}]",
         "[{\"name\": \"TOKEN\", \"value\": \"" R "\"}, {\"name\": \"MODE\", \"value\": \"fast\"}]"},
        {"secret = \"\"\"\nHunter2\n\"\"\"\nn = 1\n", "secret = \"" R "\"\"\"\nn = 1\n"},
        {"GET /?q=%7B%22password%22%3A%22Hunter2%22%7D&n=1", "GET /?q=%7B%22password%22%3A%22" R "&n=1"},
        {"+ curl -sSu ada:Hunter2 https://h\n", "+ curl -sSu ada:" R " https://h\n"},
        {"jdbc:oracle:thin:scott/Hunter2@h:1521:x", "jdbc:oracle:thin:scott/" R "@h:1521:x"},
        {"ConvertTo-SecureString \"Hunter2\" -AsPlainText", "ConvertTo-SecureString \"" R "\" -AsPlainText"},
        {"POST https://discord.com/api/webhooks/123456789/abcDEF_x1", "POST https://" R},
        {"https://api.telegram.org/bot123456789:AAabcdefghijklmnopqrstuvwxyz0123456/send", "https://" R},
        {"line\\nghp_abcdefghijklmnopqrstuvwxyz0123456789\\n", "line\\n" R "\\n"},
        {"token: Bearer abc123, user: x\n", "token: Bearer " R ", user: x\n"},
        {"Authorization: Digest username=\"ada\", response=\"abc\"\nA: b\n", "Authorization: Digest " R "\nA: b\n"},
        {"curl -H \"Authorization: Bearer abc\" h\n", "curl -H \"Authorization: Bearer " R "\" h\n"},
        {"\x1b[31mpassword\x1b[0m: Hunter2\n", "\x1b[31mpassword\x1b[0m: " R "\n"},
        {"\x1b[1;32mpassword=\x1b[0mHunter2\n", "\x1b[1;32mpassword=\x1b[0m" R "\n"},
        {"\x1b[32mghp_abcdefghijklmnopqrstuvwxyz0123456789\x1b[0m", "\x1b[32m" R "\x1b[0m"},
        {"password\tHunter2\n| password | Hunter2 |\n", "password\t" R "\n| password | " R " |\n"},
        {"login failed for ada with password Hunter2\n", "login failed for ada with password " R "\n"},
        {"{\n  \"token\":\n    \"abc\",\n  \"n\": 1\n}", "{\n  \"token\":\n    \"" R "\",\n  \"n\": 1\n}"},
        {"password:\n  Hunter2\nuser: x\n", "password:\n  " R "\nuser: x\n"},
        {"password[0]=Hunter2 tokens['a']=1\n", "password[0]=" R " tokens['a']=1\n"},
        {"let apiKey: string = \"abc\"; password: str = 'x y'\n",
         "let apiKey: string = \"" R "\"; password: str = '" R "'\n"},
        {"    if password == \"Hunter2\":\n", "    if password == \"" R "\":\n"},
        {"os.environ.setdefault(\"API_TOKEN\", \"abc\")\n", "os.environ.setdefault(\"API_TOKEN\", \"" R "\")\n"},
        {"    set_password(\"Hunter2\")\n", "    set_password(\"" R "\")\n"},
        {"PHPSESSID=abc; JSESSIONID=def; psk=Hunter2\n", "PHPSESSID=" R "; JSESSIONID=" R "; psk=" R "\n"},
        {"GET /?next=https%3A%2F%2Fada%3Ahunter%40host&n=1", "GET /?next=https%3A%2F%2Fada%3A" R "%40host&n=1"},
    };
    static const struct redacted kept[] = {
        {"- name: MODE\n  value: fast\n{\"name\": \"TOKEN\"}, {\"value\": 12}\nvalue: 7 rows\n", NULL},
        {"{'sort_key': 'day', 'partition-key': 'x', 'secretary': 'Ada', 'primaryKey': 'id'}\n", NULL},
        {"+ rsync -avu host:path dst\n:thin:/x jdbc:oracle:thin:@h:1521:x %22tokens%22%3A12\n", NULL},
        {"https://discord.com/api/webhooks key-value key-0123456789 IncomingWebhook/ x\n", NULL},
        {"password is wrong\nThe password is too short\nPassword: \npassword: required\ntoken expired\n", NULL},
        {"KeyError: 'token'\nSyntaxError: Unexpected token '<'\ninvalid token: None\n", NULL},
        {"    token = self.next_token(stream)\n    sorted(rows, key=lambda row: row.day)\n", NULL},
        {"def login(user: str, password: str) -> None:\n", NULL},
        {"usage: x [--token TOKEN] [--password PASSWORD]\n", NULL},
        {"commit 0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d 123e4567-e89b-12d3-a456-426614174000\n", NULL},
        {"File \"/srv/app/auth/token.py\", line 3, in password\n", NULL},
        {"secrets loaded from /run/secrets; 12 tokens in 3 s; auth: ok; session=3 code=4 key=day\n", NULL},
        {"process exited with code: 137, signature: f(int, str), sort key: day\n", NULL},
        {"password=%s token={token} secret=<hidden> password=****\n", NULL},
        {"pass=12 fail=3; token = os.getenv('TOKEN')\n", NULL},
        {"if token == expected and password != other:\n", NULL},
        {"password:\n  min_length: 8\n  required: true\ntoken:\n\"quoted\"\nPassword:\n  Traceback (most)\n", NULL},
        {"password must have 8characters; password\trequired\n| password | required |\n", NULL},
        {"def login(password: str = None, token: str = \n    None):\n", NULL},
        {"get_password(\"name\") reset(\"x\") print(\"token\", n) settings(\"x\", \"y\") f(token[i], \"x\")\n", NULL},
        {"if token[-1] == '\\n': 'CREATE': ('AUTH', 'SELECTED'),\n", NULL},
        {"\x1b[31merror\x1b[0m: token expired; next=https%3A%2F%2Fhost%3A80%2Fpath%40x\n", NULL},
    };
    (void)state;
    CHECK(redact_log, cases);
    CHECK(redact_log, kept);
}

static void private_keys_are_hidden_over_all_their_lines(void **state)
{
    static const struct redacted cases[] = {
        {"a\n-----BEGIN PRIVATE KEY-----\n" B64 "\n" B64 "\n-----END PRIVATE KEY-----\nb\n",
         "a\n-----BEGIN PRIVATE KEY-----" R "-----END PRIVATE KEY-----\nb\n"},
        {"-----BEGIN OPENSSH PRIVATE KEY-----\n" B64 "\n", "-----BEGIN OPENSSH PRIVATE KEY-----" R},
        {"x '-----BEGIN RSA PRIVATE KEY-----\\n" B64 "\\n-----END RSA PRIVATE KEY-----\\n'",
         "x '-----BEGIN RSA PRIVATE KEY-----" R "-----END RSA PRIVATE KEY-----\\n'"},
        {"-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----",
         "-----BEGIN PGP PRIVATE KEY BLOCK-----" R "-----END PGP PRIVATE KEY BLOCK-----"},
        {"-----BEGIN CERTIFICATE-----\n" B64 "\n-----END CERTIFICATE-----\n", NULL},
        {"-----BEGIN PUBLIC KEY-----\n" B64 "\n-----END PUBLIC KEY-----\n", NULL},
    };
    (void)state;
    CHECK(redact_log, cases);
    struct pr_buf out = {0};
    redact_log(&out, B64 "\n" B64 "\n-----END RSA PRIVATE KEY-----\nb\n");
    assert_string_equal(out.bytes, R "\n-----END RSA PRIVATE KEY-----\nb\n");
    pr_buf_clear(&out);
}

/* ---- tokens ----------------------------------------------------------------------------------------------------- */

static void tokens_of_services_are_hidden_wherever_they_are(void **state)
{
    static const char *const tokens[] = {"ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                         "gho_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                         "ghu_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                         "ghs_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                         "ghr_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                         "github_pat_11AAAAAAA0aaaaaaaaaaaa_aaaaaaaaaaaaaaaaaaa",
                                         "glpat-aaaaaaaaaaaaaaaaaaaa",
                                         "sk_live_aaaaaaaaaaaaaaaaaaaaaaaa",
                                         "sk_test_aaaaaaaaaaaaaaaaaaaaaaaa",
                                         "rk_live_aaaaaaaaaaaaaaaaaaaaaaaa",
                                         "sk-proj-aaaaaaaaaaaaaaaaaaaaaaaa",
                                         "sk-ant-api03-aaaaaaaaaaaaaaaaa",
                                         "sk-aaaaaaaaaaaaaaaaaaaaaaaaaaaa1",
                                         "xoxb-1234567890-abcdef",
                                         "xoxp-1234567890-abcdef",
                                         "xapp-1-A012-345-abcdef",
                                         "SG.aaaaaaaaaaaaaaaaaaaaaA.bbbbbbbbbbbbbbb",
                                         "dop_v1_aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                         "ya29.aaaaaaaaaaaaaaaaaaaaaaa",
                                         "AKIAIOSFODNN7EXAMPLE",
                                         "ASIAIOSFODNN7EXAMPLE",
                                         "AIzaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                         "npm_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1",
                                         "pypi-AgEIcHlwaS5vcmcCJDEyMzQ",
                                         "hf_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaA",
                                         "GOCSPX-aaaaaaaaaaaaaaaaaaaaaaaa",
                                         "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_ghi",
                                         "hvs.aaaaaaaaaaaaaaaaaaaaaaaa",
                                         "shpat_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                         "123456789:AAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                         "dckr_pat_aaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                         "AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ"};
    static const char *const frames[][2] = {{"", ""},     {"\"", "\""}, {"(", ")"},           {"x=", ","},
                                            {"a ", " b"}, {"[", "]."},  {"https://h/", "/x"}, {"<", ">"}};
    (void)state;
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        for (size_t j = 0; j < sizeof frames / sizeof *frames; j++) {
            char text[160], expected[160];
            struct pr_buf log = {0}, word = {0};
            snprintf(text, sizeof text, "%s%s%s", frames[j][0], tokens[i], frames[j][1]);
            snprintf(expected, sizeof expected, "%s" R "%s", frames[j][0], frames[j][1]);
            redact_log(&log, text);
            redact_words(&word, text);
            if (strstr(log.bytes, tokens[i] + 12) || strstr(word.bytes, tokens[i] + 12))
                fail_msg("%s: %s, %s", text, log.bytes, word.bytes);
            if (!strchr(frames[j][1], '/') && !strchr(frames[j][1], '.') && !strchr(frames[j][1], ','))
                assert_string_equal(log.bytes, expected);
            pr_buf_clear(&log);
            pr_buf_clear(&word);
        }
    }
}

static void passwords_are_announced_in_other_languages_too(void **state)
{
    static const struct redacted cases[] = {
        {"Mot de passe : azerty", "Mot de passe : " R},
        {"mot de passe\u00a0: hunter2, puis", "mot de passe\u00a0: " R ", puis"},
        {"\"mot de passe\": \"a b\"", "\"mot de passe\": \"" R "\""},
        {"Contrase\u00f1a: hunter2", "Contrase\u00f1a: " R},
        {"senha=hunter2 wachtwoord: Hunter", "senha=" R " wachtwoord: " R},
        {"\u041f\u0430\u0440\u043e\u043b\u044c: hunter2", "\u041f\u0430\u0440\u043e\u043b\u044c: " R},
        {"\u5bc6\u7801\uff1ahunter2", "\u5bc6\u7801\uff1a" R},
        {"unlocked by passphrase hunter2x at dawn", "unlocked by passphrase " R " at dawn"},
    };
    static const struct redacted kept[] = {
        {"Mot de passe : incorrect", NULL},
        {"mot de passe : le compte est bloqu\u00e9", NULL},
        {"Le mot de passe expire demain", NULL},
        {"contrase\u00f1a: no es correcta", NULL},
        {"passphrase wordlist was read, passphrase /run/key1", NULL},
        {"senhas: 12 wachtwoorden: 3", NULL},
    };
    (void)state;
    CHECK(redact_log, cases);
    CHECK(redact_log, kept);
    CHECK(redact_line, cases);
}

/* printf 'ghp_abC%s' 1234: what a template has of a token is as secret as the rest. */
static void the_beginning_of_a_token_in_a_template_is_hidden(void **state)
{
    static const struct redacted cases[] = {
        {"printf \"using \\\"ghp_LEAK%s\\\"\\n\"", "printf \"using \\\"" R "%s\\\"\\n\""},
        {"f\"xoxb-123{rest}\" and glpat-Ab1$rest", "f\"" R "{rest}\" and " R "$rest"},
        {"sk_live_Ab1${rest} AKIAABC%(rest)s", R "${rest} " R "%(rest)s"},
    };
    static const struct redacted kept[] = {
        {"ghp_%s sk_live_$1 xoxb-{token} AKIA%d pypi-mirror-%s waka_time{} ghp_LEAK 100% ghp_AB%", NULL},
    };
    (void)state;
    CHECK(redact_log, cases);
    CHECK(redact_log, kept);
}

static void words_that_begin_like_tokens_stay(void **state)
{
    static const struct redacted cases[] = {
        {"ghp_short sk-learn sk-learn-contrib-and-more-of-it xoxb npm_config_registry_for_everybody_here", NULL},
        {"hf_hub_download AKIA eyJ eyJhbGciOiJIUzI1NiJ9 SG.x ya29. AIza", NULL},
        {"0123456789abcdef0123456789abcdef01234567 sha256:0123456789abcdef0123456789abcdef", NULL},
        {"task-sk-12 disk-usage risk_live_test 12345678:AA desk-aaaaaaaaaaaaaaaaaaaaaaaaaaaa1", NULL},
        {"/usr/lib/python3.12/site-packages/hf_transfer/npm_aaaaaaaaa.py", NULL},
    };
    (void)state;
    CHECK(redact_log, cases);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static void names_say_what_is_secret(void **state)
{
    static const struct {
        const char *name;
        enum pr_secrecy secrecy;
    } cases[] = {{"password", PR_SECRECY_STRONG},
                 {"DB_PASSWORD", PR_SECRECY_STRONG},
                 {"dbPasswd", PR_SECRECY_STRONG},
                 {"github-token", PR_SECRECY_STRONG},
                 {"AccountKey", PR_SECRECY_STRONG},
                 {"X-Api-Key", PR_SECRECY_STRONG},
                 {"aws_secret_access_key", PR_SECRECY_STRONG},
                 {"X-Amz-Signature", PR_SECRECY_STRONG},
                 {"Pwd", PR_SECRECY_STRONG},
                 {"Proxy-Authorization", PR_SECRECY_HEADER},
                 {"Set-Cookie", PR_SECRECY_HEADER},
                 {"key", PR_SECRECY_WEAK},
                 {"sig", PR_SECRECY_WEAK},
                 {"auth", PR_SECRECY_WEAK},
                 {"max_tokens", PR_SECRECY_NONE},
                 {"tokenizer", PR_SECRECY_NONE},
                 {"monkey", PR_SECRECY_NONE},
                 {"next_token", PR_SECRECY_NONE},
                 {"token_file", PR_SECRECY_NONE},
                 {"AWSAccessKeyId", PR_SECRECY_NONE},
                 {"author", PR_SECRECY_NONE},
                 {"passes", PR_SECRECY_NONE},
                 {"compass", PR_SECRECY_NONE},
                 {"no-password", PR_SECRECY_NONE},
                 {"private_key_id", PR_SECRECY_NONE},
                 {"", PR_SECRECY_NONE},
                 {"---", PR_SECRECY_NONE},
                 {"password_policy", PR_SECRECY_NONE}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct pr_text name = {cases[i].name, (uint32_t)strlen(cases[i].name)};
        if (pr_secrecy_of(name) != cases[i].secrecy)
            fail_msg("%s is %d", cases[i].name, (int)pr_secrecy_of(name));
    }
}

/* Anything that takes quadratic time would not end here. */
static void long_texts_take_no_longer_than_their_length(void **state)
{
    enum { LENGTH = 1 << 19 };
    static const char *const parts[] = {
        "a=", "eyJ-",   "-----BEGIN ", "://",     "a:b",       "\"",           "password=", "--token ", "{",      "-",
        "x",  "login ", "123456789:",  "bearer ", "tokens: [", "vault login ", "a:1:b:c:",  "%5F",      "/token/",
        "sk-", "dapi-"};
    static char text[LENGTH];
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t length = strlen(parts[i]);
        struct pr_buf out = {0};
        for (size_t at = 0; at + length <= sizeof text; at += length)
            memcpy(text + at, parts[i], length);
        pr_redact_log(&out, (struct pr_text){text, (uint32_t)sizeof text});
        assert_false(out.failed);
        pr_buf_clear(&out);
    }
}

/* It is judged by its first 256 bytes. */
static void a_long_token_is_hidden_to_its_end(void **state)
{
    static const size_t lengths[] = {254, 255, 256, 257, 258, 1000};
    static const char *const starts[] = {"sk-", "glc_"};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
        char text[1024];
        struct pr_buf out = {0};
        size_t length = (size_t)sprintf(text, "%s", starts[i % 2]);
        const size_t end = length + lengths[i / 2];
        for (; length < end; length++)
            text[length] = "aB1c"[length % 4];
        memcpy(text + length, "...", sizeof "...");
        pr_redact_log(&out, (struct pr_text){text, (uint32_t)strlen(text)});
        assert_string_equal(out.bytes, R "...");
        pr_buf_clear(&out);
    }
}

static void dots_are_no_token(void **state)
{
    char text[512] = "SG.";
    struct pr_buf out = {0};
    (void)state;
    memset(text + strlen(text), '.', 300);
    pr_redact_log(&out, (struct pr_text){text, (uint32_t)strlen(text)});
    assert_string_equal(out.bytes, text);
    pr_buf_clear(&out);
}

static void blocks_of_yaml_are_hidden_to_their_end(void **state)
{
    static const struct redacted cases[] = {
        {"password: |\n  first\n  second\nuser: ada\n", "password: |\n  " R "\nuser: ada\n"},
        {"db:\n  api_key: >-  # folded\n      one\n\n      two\n  port: 80\n",
         "db:\n  api_key: >-  # folded\n      " R "\n  port: 80\n"},
        {"- token: |2+\r\n    abc\r\n  name: x\r\n", "- token: |2+\r\n    " R "\r\n  name: x\r\n"},
        {"\"client_secret\": |\n\tabc", "\"client_secret\": |\n\t" R},
        {"password: |\n  a\n  b", "password: |\n  " R},
    };
    static const struct redacted kept[] = {
        {"password: |\nuser: ada\n", NULL},
        {"description: |\n  the password\n  of nobody\n", NULL},
        {"  password: |\n  user: ada\n", NULL},
        {"password: | grep\n  x\n", NULL},
        {"password: |\n\n\n", NULL},
    };
    (void)state;
    CHECK(redact_log, cases);
    CHECK(redact_log, kept);
}

static void passwords_from_a_pipe_are_hidden(void **state)
{
    static const struct redacted cases[] = {
        {"+ echo hunter2 | sudo -S apt update", "+ echo " R " | sudo -S apt update"},
        {"echo 'a b'|sudo -kS ls", "echo '" R "'|sudo -kS ls"},
        {"(echo -n \"x y\" | /usr/bin/sudo -u me -S true)", "(echo -n \"" R "\" | /usr/bin/sudo -u me -S true)"},
        {"printf '%s\\n' abc | docker login -u me --password-stdin",
         "printf '%s\\n' " R " | docker login -u me --password-stdin"},
        {"sudo -S ls <<< hunter2", "sudo -S ls <<< " R},
        {"echo root:abc | chpasswd", "echo " R " | chpasswd"},
    };
    static const struct redacted kept[] = {
        {"echo hunter2 | sudo tee /etc/motd", NULL},
        {"echo -S | sudo tee x; sudo -S ls", NULL},
        {"echo $PW | sudo -S ls", NULL},
        {"echo hello | grep -S sudo", NULL},
        {"cat <<< hello", NULL},
    };
    (void)state;
    CHECK(redact_log, cases);
    CHECK(redact_log, kept);
}

/* ---- positions -------------------------------------------------------------------------------------------------- */

static void words_are_secret_by_their_position(void **state)
{
    static const struct redacted words[] = {
        {"vault|login|-address=https://h|abc", "vault|login|-address=https://h|" R},
        {"sudo|/usr/bin/htpasswd|-b|-B|f|ada|abc", "sudo|/usr/bin/htpasswd|-b|-B|f|ada|" R},
        {"htpasswd|-nb|ada|abc", "htpasswd|-nb|ada|" R},
        {"sqlplus|-s|scott/abc@orcl|@run.sql", "sqlplus|-s|scott/" R "@orcl|@run.sql"},
        {"sqlldr|userid=scott/abc|control=a/b.ctl", "sqlldr|userid=scott/" R "|control=a/b.ctl"},
        {"rman|target|sys/a b@db", "rman|target|sys/" R "@db"},
        {"redis-cli|-h|h|AUTH|ada|abc", "redis-cli|-h|h|AUTH|ada|abc"},
        {"redis-cli|AUTH|ada|abc", "redis-cli|AUTH|" R "|" R},
        {"smbclient|//h/s|abc|-c|ls", "smbclient|//h/s|" R "|-c|ls"},
        {"lftp|-u|ada,abc|h", "lftp|-u|ada," R "|h"},
        {"kubectl|create|secret|generic|a|--from-literal=x=abc", "kubectl|create|secret|generic|a|--from-literal=x=" R},
        {"kubectl|--from-literal|x=a b|c", "kubectl|--from-literal|x=" R "|c"},
        {"git|config|--global|user.token|abc", "git|config|--global|user.token|" R},
        {"vault|write|auth/a/login|x=abc|role=a b", "vault|write|auth/a/login|x=" R "|role=" R},
        {"vault|kv|put|-mount=s|a/b|x=abc", "vault|kv|put|-mount=s|a/b|x=" R},
        {"wandb|login|--relogin|abc", "wandb|login|--relogin|" R},
        {"rabbitmqctl|add_user|ada|abc", "rabbitmqctl|add_user|ada|" R},
        {"useradd|-p|abc|ada", "useradd|-p|" R "|ada"},
        {"ssh-keygen|-t|rsa|-N|abc", "ssh-keygen|-t|rsa|-N|" R},
    };
    static const struct redacted words_kept[] = {
        {"vault|login|-method=userpass|username=ada", NULL},
        {"vault|read|a/b", NULL},
        {"vault|write|a/b|@data.json|x=@file|-field=y", NULL},
        {"wandb|sync|abc|useradd|-m|ada|ssh-keygen|-t|rsa", NULL},
        {"htpasswd|f|ada", NULL},
        {"sqlplus|/|as|sysdba", NULL},
        {"sqlplus|@dir/run.sql", NULL},
        {"git|config|user.name|Ada|vault|list", NULL},
        {"x|-u|ada,bob|--auth|none|--pin=false", NULL},
    };
    static const struct redacted lines[] = {
        {"cd /a && vault login abc; ls", "cd /a && vault login " R "; ls"},
        {"htpasswd -b f ada \"a b\" && ls", "htpasswd -b f ada \"" R "\" && ls"},
        {"sqlplus scott/abc@orcl <<E", "sqlplus scott/" R "@orcl <<E"},
        {"kubectl --from-literal=x=abc --from-literal 'y=a b'",
         "kubectl --from-literal=x=" R " --from-literal 'y=" R "'"},
    };
    (void)state;
    CHECK(redact_words, words);
    CHECK(redact_words, words_kept);
    CHECK(redact_log, lines);
}

static void secrets_have_forms_of_their_own(void **state)
{
    static const struct redacted cases[] = {
        {"db.example.com:5432:sales:ada:abc", "db.example.com:5432:sales:ada:" R},
        {"*:*:*:ada:abc", "*:*:*:ada:" R},
        {"GET https://h/api/token/a1b2c3d4e5/go", "GET https://h/api/token/" R "/go"},
        {"https://h/?api%5Fkey=abc&x=1", "https://h/?api%5Fkey=" R "&x=1"},
        {"{\"tokens\": [\"a1b2c3d4\", \"e5\"]}", "{\"tokens\": " R "}"},
    };
    static const struct redacted kept[] = {
        {"a.c:120:5: error: no such type", NULL},
        {"a.c:120:5:error:missing", NULL},
        {"10:11:12:13:14", NULL},
        {"https://h/api/token/refresh, /token/a1b2c3d4e5", NULL},
        {"tokens: ['hello', 'big', 'world']", NULL},
        {"https://h/?page%5Fsize=10", NULL},
    };
    (void)state;
    CHECK(redact_log, cases);
    CHECK(redact_log, kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_yaml_are_hidden_to_their_end),
        cmocka_unit_test(passwords_from_a_pipe_are_hidden),
        cmocka_unit_test(values_of_secret_options_are_hidden_whole),
        cmocka_unit_test(options_about_a_secret_are_not_one),
        cmocka_unit_test(letters_mean_what_they_mean_to_the_program),
        cmocka_unit_test(headers_are_hidden_in_one_argument_and_in_several),
        cmocka_unit_test(addresses_lose_passwords_and_signatures),
        cmocka_unit_test(members_are_hidden_in_json_and_xml),
        cmocka_unit_test(scripts_are_read_as_such),
        cmocka_unit_test(lines_of_blanks_lose_the_next_word),
        cmocka_unit_test(bytes_that_are_not_text_do_no_harm),
        cmocka_unit_test(logs_lose_values_and_keep_sentences),
        cmocka_unit_test(private_keys_are_hidden_over_all_their_lines),
        cmocka_unit_test(tokens_of_services_are_hidden_wherever_they_are),
        cmocka_unit_test(the_beginning_of_a_token_in_a_template_is_hidden),
        cmocka_unit_test(words_that_begin_like_tokens_stay),
        cmocka_unit_test(names_say_what_is_secret),
        cmocka_unit_test(passwords_are_announced_in_other_languages_too),
        cmocka_unit_test(words_are_secret_by_their_position),
        cmocka_unit_test(secrets_have_forms_of_their_own),
        cmocka_unit_test(long_texts_take_no_longer_than_their_length),
        cmocka_unit_test(a_long_token_is_hidden_to_its_end),
        cmocka_unit_test(dots_are_no_token),
    };
    return cmocka_run_group_tests_name("redact", tests, NULL, NULL);
}
