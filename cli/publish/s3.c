/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/publish/s3.h"

#include "cli/publish/sha256.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#if defined(__has_include)
#if __has_include(<curl/curl.h>)
#define PR_HAS_CURL 1
#include <curl/curl.h>
#endif
#endif

#ifndef PR_HAS_CURL

bool pr_s3_open(const struct pr_s3_address *address, const struct pr_s3_keys *keys, struct pr_s3 **s3,
                char text[PR_S3_TEXT])
{
    (void)address;
    (void)keys;
    *s3 = NULL;
    snprintf(text, PR_S3_TEXT, "this program was built without libcurl's headers");
    return false;
}

enum pr_s3_sent pr_s3_put(struct pr_s3 *s3, const char *name, const void *bytes, size_t length, const char *type,
                          char text[PR_S3_TEXT])
{
    (void)s3;
    (void)name;
    (void)bytes;
    (void)length;
    (void)type;
    snprintf(text, PR_S3_TEXT, "there is no libcurl");
    return PR_S3_FAILED;
}

void pr_s3_close(struct pr_s3 *s3)
{
    (void)s3;
}

#else

enum { TRIES = 5, FIRST_PAUSE_MS = 200, CONNECT_S = 15, STALLED_S = 60 };

/* What is used of libcurl. CURLOPT_AWS_SIGV4 came with 7.75. */
struct curl {
    void *library;
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    void (*easy_reset)(CURL *);
    CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
    CURLcode (*easy_perform)(CURL *);
    CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
    const char *(*easy_strerror)(CURLcode);
    struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
    void (*slist_free_all)(struct curl_slist *);
};

struct pr_s3 {
    struct curl curl;
    CURL *easy;
    const struct pr_s3_address *address;
    struct pr_s3_keys keys;
    char signature[96];
};

/* ---- libcurl ----------------------------------------------------------------------------------------------------- */

static void *open_library(void)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* PLACE is that of a pointer to a function, which C keeps apart from one to data. */
static bool find(void *library, const char *name, void *place)
{
    void *symbol = dlsym(library, name);
    memcpy(place, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool open_curl(struct curl *curl)
{
    curl->library = open_library();
    return curl->library && find(curl->library, "curl_easy_init", &curl->easy_init) &&
           find(curl->library, "curl_easy_cleanup", &curl->easy_cleanup) &&
           find(curl->library, "curl_easy_reset", &curl->easy_reset) &&
           find(curl->library, "curl_easy_setopt", &curl->easy_setopt) &&
           find(curl->library, "curl_easy_perform", &curl->easy_perform) &&
           find(curl->library, "curl_easy_getinfo", &curl->easy_getinfo) &&
           find(curl->library, "curl_easy_strerror", &curl->easy_strerror) &&
           find(curl->library, "curl_slist_append", &curl->slist_append) &&
           find(curl->library, "curl_slist_free_all", &curl->slist_free_all);
}

bool pr_s3_open(const struct pr_s3_address *address, const struct pr_s3_keys *keys, struct pr_s3 **s3,
                char text[PR_S3_TEXT])
{
    struct pr_s3 *made = calloc(1, sizeof *made);
    *s3 = made;
    snprintf(text, PR_S3_TEXT, made ? "there is no libcurl (libcurl.so.4) on this machine" : "out of memory");
    if (!made || !open_curl(&made->curl) || !(made->easy = made->curl.easy_init())) {
        pr_s3_close(made);
        *s3 = NULL;
        return false;
    }
    made->address = address;
    made->keys = *keys;
    snprintf(made->signature, sizeof made->signature, "aws:amz:%s:s3", address->region);
    if (made->curl.easy_setopt(made->easy, CURLOPT_AWS_SIGV4, made->signature) == CURLE_OK)
        return true;
    snprintf(text, PR_S3_TEXT, "the libcurl of this machine cannot sign: it is older than 7.75");
    pr_s3_close(made);
    *s3 = NULL;
    return false;
}

void pr_s3_close(struct pr_s3 *s3)
{
    if (s3 && s3->easy)
        s3->curl.easy_cleanup(s3->easy);
    if (s3 && s3->curl.library)
        dlclose(s3->curl.library);
    free(s3);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

/* One request, and what came back. */
struct exchange {
    const void *body; /* NULL: HEAD */
    size_t length;
    const char *type;
    char hash[PR_SHA256_HEX];      /* of the body */
    char stored[PR_SHA256_HEX];    /* what the store says it has; "" = nothing */
    char answer[PR_S3_TEXT];       /* the beginning of the body that came back */
    size_t answer_length;
    long status;                   /* of HTTP; 0 = there was no answer */
};

static size_t take_header(char *bytes, size_t size, size_t count, void *context)
{
    static const char name[] = "x-amz-meta-sha256:";
    struct exchange *exchange = context;
    const size_t length = size * count, before = sizeof name - 1;
    if (length > before && strncasecmp(bytes, name, before) == 0) {
        size_t from = before;
        while (from < length && bytes[from] == ' ')
            from++;
        const size_t rest = length - from < PR_SHA256_HEX - 1 ? length - from : PR_SHA256_HEX - 1;
        memcpy(exchange->stored, bytes + from, rest);
        exchange->stored[rest] = '\0';
    }
    return length;
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct exchange *exchange = context;
    const size_t length = size * count, room = sizeof exchange->answer - 1 - exchange->answer_length;
    const size_t taken = length < room ? length : room;
    memcpy(exchange->answer + exchange->answer_length, bytes, taken);
    exchange->answer_length += taken;
    exchange->answer[exchange->answer_length] = '\0';
    return length;
}

/* A header more; NULL when there is no memory, and the list is then gone. */
static struct curl_slist *add_header(struct pr_s3 *s3, struct curl_slist *list, const char *name, const char *value)
{
    char line[4096];
    const bool fits = snprintf(line, sizeof line, "%s: %s", name, value) < (int)sizeof line;
    struct curl_slist *longer = list && fits ? s3->curl.slist_append(list, line) : NULL;
    if (!longer)
        s3->curl.slist_free_all(list);
    return longer;
}

/*
 * The hash of the body goes along with every request: without that header libcurl signs the hash of an empty one (seen
 * with 7.88), and stores refuse that. No header is taken away, since those that libcurl meant to send are signed.
 */
static struct curl_slist *headers_of(struct pr_s3 *s3, const struct exchange *exchange)
{
    char line[PR_SHA256_HEX + 32];
    snprintf(line, sizeof line, "x-amz-content-sha256: %s", exchange->hash);
    struct curl_slist *list = s3->curl.slist_append(NULL, line);
    if (exchange->body) {
        list = add_header(s3, list, "Content-Type", exchange->type);
        list = add_header(s3, list, "x-amz-meta-sha256", exchange->hash);
    }
    return s3->keys.session ? add_header(s3, list, "x-amz-security-token", s3->keys.session) : list;
}

static void set_options(struct pr_s3 *s3, const char *url, struct curl_slist *headers, struct exchange *exchange)
{
    CURLcode (*const set)(CURL *, CURLoption, ...) = s3->curl.easy_setopt;
    s3->curl.easy_reset(s3->easy); /* connections stay */
    set(s3->easy, CURLOPT_URL, url);
    set(s3->easy, CURLOPT_NOSIGNAL, 1L);
    set(s3->easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    set(s3->easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(s3->easy, CURLOPT_LOW_SPEED_TIME, (long)STALLED_S);
    set(s3->easy, CURLOPT_AWS_SIGV4, s3->signature);
    set(s3->easy, CURLOPT_USERNAME, s3->keys.id);
    set(s3->easy, CURLOPT_PASSWORD, s3->keys.secret);
    set(s3->easy, CURLOPT_HTTPHEADER, headers);
    set(s3->easy, CURLOPT_HEADERFUNCTION, take_header);
    set(s3->easy, CURLOPT_HEADERDATA, exchange);
    set(s3->easy, CURLOPT_WRITEFUNCTION, take_answer);
    set(s3->easy, CURLOPT_WRITEDATA, exchange);
    if (exchange->body) {
        set(s3->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)exchange->length);
        set(s3->easy, CURLOPT_POSTFIELDS, exchange->body);
        set(s3->easy, CURLOPT_CUSTOMREQUEST, "PUT");
    } else {
        set(s3->easy, CURLOPT_NOBODY, 1L);
    }
}

static void pause_before(int try_number)
{
    const long pause_ms = (long)FIRST_PAUSE_MS << try_number;
    nanosleep(&(struct timespec){pause_ms / 1000, pause_ms % 1000 * 1000000}, NULL);
}

/* The store is busy, or something on the way to it broke. */
static bool may_pass(CURLcode code, long status)
{
    switch (code) {
    case CURLE_OK:
        return status == 408 || status == 429 || status >= 500;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_OUT_OF_MEMORY:
        return false;
    default:
        return true;
    }
}

/* Asks until there is an answer that will not change. False, with TEXT: there was none. */
static bool ask(struct pr_s3 *s3, const char *url, struct exchange *exchange, char text[PR_S3_TEXT])
{
    CURLcode code = CURLE_OK;
    for (int i = 0; i < TRIES; i++) {
        if (i)
            pause_before(i - 1);
        struct curl_slist *headers = headers_of(s3, exchange);
        if (!headers) {
            snprintf(text, PR_S3_TEXT, "out of memory");
            return false;
        }
        exchange->answer_length = 0;
        exchange->stored[0] = exchange->answer[0] = '\0';
        exchange->status = 0;
        set_options(s3, url, headers, exchange);
        code = s3->curl.easy_perform(s3->easy);
        s3->curl.easy_getinfo(s3->easy, CURLINFO_RESPONSE_CODE, &exchange->status);
        s3->curl.slist_free_all(headers);
        if (!may_pass(code, exchange->status))
            break;
    }
    if (code != CURLE_OK)
        snprintf(text, PR_S3_TEXT, "%s", s3->curl.easy_strerror(code));
    return code == CURLE_OK;
}

/* A piece of the answer. */
struct part {
    const char *bytes;
    int length;
};

/* Between <NAME> and </NAME>. */
static struct part part_of(const char *answer, const char *name)
{
    char tag[32];
    snprintf(tag, sizeof tag, "<%s>", name);
    const char *from = strstr(answer, tag);
    from = from ? from + strlen(tag) : NULL;
    return (struct part){from ? from : "", from ? (int)strcspn(from, "<") : 0};
}

static void say_refusal(const struct exchange *exchange, char text[PR_S3_TEXT])
{
    const struct part code = part_of(exchange->answer, "Code"), message = part_of(exchange->answer, "Message");
    snprintf(text, PR_S3_TEXT, "the store answers %ld%s%.*s%s%.*s", exchange->status, code.length ? ", " : "",
             code.length < 100 ? code.length : 100, code.bytes, message.length ? ": " : "",
             message.length < 200 ? message.length : 200, message.bytes);
}

enum pr_s3_sent pr_s3_put(struct pr_s3 *s3, const char *name, const void *bytes, size_t length, const char *type,
                          char text[PR_S3_TEXT])
{
    char url[PR_S3_URL];
    struct exchange look = {.body = NULL}, send = {.body = bytes, .length = length, .type = type};
    if (!pr_s3_url(s3->address, name, url)) {
        snprintf(text, PR_S3_TEXT, "the name is too long");
        return PR_S3_FAILED;
    }
    pr_sha256("", 0, look.hash);
    pr_sha256(bytes, length, send.hash);
    if (!ask(s3, url, &look, text))
        return PR_S3_FAILED;
    if (look.status == 200 && strcmp(look.stored, send.hash) == 0)
        return PR_S3_SAME;
    /* Who may not look may still send; what speaks against it is said then. */
    if (!ask(s3, url, &send, text))
        return PR_S3_FAILED;
    if (send.status >= 200 && send.status < 300)
        return PR_S3_SENT;
    say_refusal(&send, text);
    return PR_S3_FAILED;
}

#endif
