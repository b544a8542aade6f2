/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/publish/s3_address.h"

#include <stdio.h>
#include <string.h>

/* Names of buckets: letters, digits, dots, hyphens, underscores in old ones. */
static bool is_bucket(const char *name, size_t length)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    return length >= 3 && length <= 255 && strspn(name, allowed) >= length && name[0] != '.' && name[0] != '-';
}

static bool set_prefix(struct pr_s3_address *address, const char *prefix)
{
    size_t length = strlen(prefix);
    while (length && prefix[length - 1] == '/')
        length--;
    const int used = length < sizeof address->prefix ? (int)length : (int)sizeof address->prefix;
    return snprintf(address->prefix, sizeof address->prefix, "%.*s%s", used, prefix, length ? "/" : "") <
           (int)sizeof address->prefix;
}

/* A name with a dot is no host name that a certificate covers: such a bucket is a folder of the common host. */
static bool set_base(struct pr_s3_address *address, const char *endpoint, const char *bucket, int length)
{
    int used;
    if (endpoint) {
        size_t end = strlen(endpoint);
        while (end && endpoint[end - 1] == '/')
            end--;
        used = end > sizeof address->base
                   ? PR_S3_URL
                   : snprintf(address->base, PR_S3_URL, "%.*s/%.*s/", (int)end, endpoint, length, bucket);
    } else if (memchr(bucket, '.', (size_t)length)) {
        used = snprintf(address->base, PR_S3_URL, "https://s3.%s.amazonaws.com/%.*s/", address->region, length, bucket);
    } else {
        used = snprintf(address->base, PR_S3_URL, "https://%.*s.s3.%s.amazonaws.com/", length, bucket, address->region);
    }
    return used < PR_S3_URL;
}

bool pr_s3_address(const char *to, const char *endpoint, const char *region, struct pr_s3_address *address,
                   const char **why)
{
    static const char scheme[] = "s3://";
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    const char *bucket = to + sizeof scheme - 1;
    *why = NULL;
    if (strncmp(to, scheme, sizeof scheme - 1) != 0) {
        *why = "it does not begin with s3://";
        return false;
    }
    const size_t length = strcspn(bucket, "/");
    if (!is_bucket(bucket, length))
        *why = "that is no name of a bucket";
    else if (!*region || strspn(region, letters) != strlen(region) || strlen(region) >= sizeof address->region)
        *why = "the region is not known: --region, or AWS_REGION";
    else if (endpoint && strncmp(endpoint, "https://", 8) != 0 && strncmp(endpoint, "http://", 7) != 0)
        *why = "the endpoint must begin with https:// or http://";
    if (*why)
        return false;
    snprintf(address->region, sizeof address->region, "%s", region);
    const bool fits = set_prefix(address, bucket[length] ? bucket + length + 1 : "") &&
                      set_base(address, endpoint, bucket, (int)length);
    *why = fits ? NULL : "it is too long";
    return fits;
}

static bool is_plain(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           strchr("-._~/", letter);
}

/* Appends TEXT to URL, which holds *USED bytes. */
static bool encode(const char *text, char url[PR_S3_URL], size_t *used)
{
    for (; *text; text++) {
        if (*used + 4 > PR_S3_URL)
            return false;
        if (is_plain(*text))
            url[(*used)++] = *text;
        else
            *used += (size_t)snprintf(url + *used, 4, "%%%02X", (unsigned)(unsigned char)*text);
    }
    url[*used] = '\0';
    return true;
}

bool pr_s3_url(const struct pr_s3_address *address, const char *name, char url[PR_S3_URL])
{
    size_t used = (size_t)snprintf(url, PR_S3_URL, "%s", address->base);
    return encode(address->prefix, url, &used) && encode(name, url, &used);
}
