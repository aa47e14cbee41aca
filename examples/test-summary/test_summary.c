/*
 * test-summary - a carpel plugin in C: what a test runner printed, as a count and the tests that failed.
 *
 * It draws the calls of a tool `run_tests`, whose arguments are {"filter": "..."} and whose output is that of a runner that
 * speaks TAP (`ok 3 - name`, `not ok 4 - name`) or of cargo (`test name ... ok`, `test name ... FAILED`). While the tests
 * run the count goes up with the live output.
 *
 * Build it with `make`; the plugin is test-summary.so. The JSON that it needs it reads and writes itself, below: members of
 * objects, strings, numbers. It keeps nothing between two requests.
 */
#include "carpel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A piece of a text that somebody else owns. */
struct piece {
    const char *at, *end;
};

/* A text that grows. When memory ends `failed` is set, and stays so. */
struct text {
    char *bytes;
    size_t length, room;
    int failed;
};

static void put_bytes(struct text *text, const char *bytes, size_t length) {
    if (text->failed || length == 0) return;
    if (length > text->room - text->length) {
        size_t room = text->room ? text->room : 256;
        while (room - text->length < length) {
            if (room > ((size_t)-1) / 2) {
                text->failed = 1;
                return;
            }
            room *= 2;
        }
        char *more = realloc(text->bytes, room);
        if (!more) {
            text->failed = 1;
            return;
        }
        text->bytes = more;
        text->room = room;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

static void put(struct text *text, const char *bytes) {
    put_bytes(text, bytes, strlen(bytes));
}

static void put_number(struct text *text, unsigned long long number) {
    char digits[32];
    snprintf(digits, sizeof digits, "%llu", number);
    put(text, digits);
}

/* A JSON string: quotes, backslashes and control characters are escaped, all else stands as it is. */
static void put_string(struct text *text, struct piece string) {
    put(text, "\"");
    for (const char *at = string.at; at < string.end; at++) {
        unsigned char byte = (unsigned char)*at;
        char escape[8];
        if (byte == '"' || byte == '\\') {
            snprintf(escape, sizeof escape, "\\%c", byte);
            put(text, escape);
        } else if (byte < 0x20) {
            snprintf(escape, sizeof escape, "\\u%04x", byte);
            put(text, escape);
        } else {
            put_bytes(text, at, 1);
        }
    }
    put(text, "\"");
}

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
    return at;
}

/* Behind the string that begins at `at`; null when it does not end. */
static const char *skip_string(const char *at, const char *end) {
    for (at++; at < end; at++) {
        if (*at == '"') return at + 1;
        if (*at == '\\' && ++at == end) return NULL;
    }
    return NULL;
}

/* Behind the value that begins at `at`; null when it does not end. No stack is used: brackets are counted. */
static const char *skip_value(const char *at, const char *end) {
    size_t depth = 0;
    do {
        at = skip_blanks(at, end);
        if (at == end) return NULL;
        switch (*at) {
        case '"':
            at = skip_string(at, end);
            if (!at) return NULL;
            break;
        case '{':
        case '[':
            depth++;
            at++;
            break;
        case '}':
        case ']':
            if (depth == 0) return NULL;
            depth--;
            at++;
            break;
        case ',':
        case ':':
            if (depth == 0) return NULL;
            at++;
            break;
        default: /* a number or a word */
            while (at < end && !memchr(" \t\r\n,:]}[{\"", *at, 11)) at++;
        }
    } while (depth > 0);
    return at;
}

/* The value of a member of an object; an empty piece when there is none. Names are compared as they are written. */
static struct piece member(struct piece object, const char *name) {
    struct piece none = {NULL, NULL};
    const char *at = skip_blanks(object.at, object.end), *end = object.end;
    if (at == end || *at != '{') return none;
    at++;
    for (;;) {
        at = skip_blanks(at, end);
        if (at == end || *at != '"') return none;
        const char *name_end = skip_string(at, end);
        if (!name_end) return none;
        int is_it = (size_t)(name_end - at) == strlen(name) + 2 && memcmp(at + 1, name, strlen(name)) == 0;
        at = skip_blanks(name_end, end);
        if (at == end || *at != ':') return none;
        at = skip_blanks(at + 1, end);
        const char *value_end = at == end ? NULL : skip_value(at, end);
        if (!value_end) return none;
        if (is_it) return (struct piece){at, value_end};
        at = skip_blanks(value_end, end);
        if (at == end || *at != ',') return none;
        at++;
    }
}

static int hex(const char *at, const char *end, unsigned *number) {
    *number = 0;
    if (end - at < 4) return 0;
    for (int digit = 0; digit < 4; digit++, at++) {
        char c = *at;
        unsigned value = c >= '0' && c <= '9' ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 16;
        if (value > 15) return 0;
        *number = *number * 16 + value;
    }
    return 1;
}

static void put_character(struct text *text, unsigned code) {
    char bytes[4];
    if (code < 0x80) {
        bytes[0] = (char)code;
        put_bytes(text, bytes, 1);
    } else if (code < 0x800) {
        bytes[0] = (char)(0xc0 | code >> 6);
        bytes[1] = (char)(0x80 | (code & 0x3f));
        put_bytes(text, bytes, 2);
    } else if (code < 0x10000) {
        bytes[0] = (char)(0xe0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (code & 0x3f));
        put_bytes(text, bytes, 3);
    } else {
        bytes[0] = (char)(0xf0 | code >> 18);
        bytes[1] = (char)(0x80 | (code >> 12 & 0x3f));
        bytes[2] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[3] = (char)(0x80 | (code & 0x3f));
        put_bytes(text, bytes, 4);
    }
}

/* What a JSON string says, into `text`. Nothing for another value. Half a pair of surrogates becomes U+FFFD. */
static void read_string(struct piece value, struct text *text) {
    if (!value.at || *value.at != '"') return;
    const char *at = value.at + 1, *end = value.end - 1;
    while (at < end) {
        if (*at != '\\') {
            put_bytes(text, at++, 1);
            continue;
        }
        if (++at == end) return;
        char c = *at++;
        unsigned code, low;
        switch (c) {
        case 'n': put(text, "\n"); break;
        case 't': put(text, "\t"); break;
        case 'r': put(text, "\r"); break;
        case 'b': put(text, "\b"); break;
        case 'f': put(text, "\f"); break;
        case 'u':
            if (!hex(at, end, &code)) return;
            at += 4;
            if (code >= 0xd800 && code < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u' &&
                hex(at + 2, end, &low) && low >= 0xdc00 && low < 0xe000) {
                at += 6;
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            }
            put_character(text, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
            break;
        default: put_bytes(text, &c, 1); /* a quote, a slash, a backslash */
        }
    }
}

static int is_string(struct piece value, const char *text) {
    size_t length = strlen(text);
    return value.at && (size_t)(value.end - value.at) == length + 2 && *value.at == '"' &&
           memcmp(value.at + 1, text, length) == 0;
}

/* A whole number from 0 on; `known` says whether it is one. */
static unsigned long long read_number(struct piece value, int *known) {
    unsigned long long number = 0;
    *known = value.at && value.at < value.end;
    for (const char *at = value.at; *known && at < value.end; at++) {
        if (*at < '0' || *at > '9' || number > (~0ULL - 9) / 10) {
            *known = 0;
            break;
        }
        number = number * 10 + (unsigned long long)(*at - '0');
    }
    return number;
}

/* What became of one test. */
enum ending { NO_TEST, PASSED, FAILED, SKIPPED };

static int begins(struct piece line, const char *with) {
    size_t length = strlen(with);
    return (size_t)(line.end - line.at) >= length && memcmp(line.at, with, length) == 0;
}

static int ends(struct piece line, const char *with) {
    size_t length = strlen(with);
    return (size_t)(line.end - line.at) >= length && memcmp(line.end - length, with, length) == 0;
}

static const char *find(struct piece line, const char *what) {
    size_t length = strlen(what);
    for (const char *at = line.at; (size_t)(line.end - at) >= length; at++)
        if (memcmp(at, what, length) == 0) return at;
    return NULL;
}

/* Reads a line of a runner; `name` becomes the test's name. */
static enum ending read_line(struct piece line, struct piece *name) {
    while (line.end > line.at && (line.end[-1] == '\r' || line.end[-1] == ' ')) line.end--;
    int failed = begins(line, "not ok ");
    if (failed || begins(line, "ok ")) {
        const char *skipped = find(line, "# SKIP");
        *name = (struct piece){line.at + (failed ? 7 : 3), line.end};
        while (name->at < name->end && memchr("0123456789 -", *name->at, 12)) name->at++;
        return failed ? FAILED : skipped ? SKIPPED : PASSED;
    }
    const char *dots = begins(line, "test ") ? find(line, " ... ") : NULL;
    if (!dots) return NO_TEST;
    *name = (struct piece){line.at + 5, dots};
    return ends(line, "FAILED") ? FAILED : ends(line, " ok") ? PASSED : ends(line, "ignored") ? SKIPPED : NO_TEST;
}

#define FAILURES 50

struct summary {
    unsigned long long passed, failed, skipped;
    struct piece failures[FAILURES];
};

static void summarise(struct text *output, struct summary *summary) {
    const char *end = output->bytes + output->length;
    for (const char *at = output->bytes; output->bytes && at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        struct piece line = {at, line_end ? line_end : end}, name;
        switch (read_line(line, &name)) {
        case PASSED: summary->passed++; break;
        case SKIPPED: summary->skipped++; break;
        case FAILED:
            if (summary->failed < FAILURES) summary->failures[summary->failed] = name;
            summary->failed++;
            break;
        case NO_TEST: break;
        }
        at = line_end ? line_end + 1 : end;
    }
}

static void put_count(struct text *text, unsigned long long count, const char *what, const char *role, int *is_first) {
    if (count == 0) return;
    put(text, *is_first ? "{\"text\":\"" : ",\", \",{\"text\":\"");
    *is_first = 0;
    put_number(text, count);
    put(text, what);
    put(text, "\",\"role\":\"");
    put(text, role);
    put(text, "\"}");
}

static void put_card(struct text *text, struct piece call) {
    struct piece result = member(call, "result"), from = member(result, "output");
    struct text output = {0}, filter = {0};
    struct summary summary = {0};
    read_string(from.at ? from : member(call, "progress"), &output);
    read_string(member(member(call, "arguments"), "filter"), &filter);
    summarise(&output, &summary);
    unsigned long long all = summary.passed + summary.failed + summary.skipped;

    put(text, "{\"title\":[{\"role\":\"accent\",\"text\":");
    put_string(text, filter.length ? (struct piece){filter.bytes, filter.bytes + filter.length}
                                   : (struct piece){"all tests", "all tests" + 9});
    put(text, "}]");
    if (all > 0) {
        int is_first = 1;
        put(text, ",\"note\":[");
        put_count(text, summary.passed, " passed", "success", &is_first);
        put_count(text, summary.failed, " failed", "error", &is_first);
        put_count(text, summary.skipped, " skipped", "dim", &is_first);
        put(text, "],\"body\":[");
        unsigned long long shown = summary.failed < FAILURES ? summary.failed : FAILURES;
        if (shown > 0) {
            put(text, "{\"text\":[");
            for (unsigned long long at = 0; at < shown; at++) {
                put(text, at ? ",[{\"text\":\"failed \",\"role\":\"error\"}," : "[{\"text\":\"failed \",\"role\":\"error\"},");
                put_string(text, summary.failures[at]);
                put(text, "]");
            }
            put(text, "]}");
        }
        put(text, "]");
    }
    /* Without a count the body is left out: carpel shows the output as it is. */
    put(text, "}");
    text->failed |= output.failed | filter.failed;
    free(output.bytes);
    free(filter.bytes);
}

static int32_t request(const char *line, size_t length, carpel_reply_fn reply, void *to) {
    struct piece whole = {line, line + length};
    struct piece word = member(whole, "request");
    struct text text = {0};
    int has_id;
    unsigned long long id = read_number(member(whole, "id"), &has_id);

    if (is_string(word, "hello")) {
        put(&text, "{\"reply\":\"hello\",\"abi\":");
        put_number(&text, CARPEL_ABI);
        put(&text, ",\"name\":\"test-summary\",\"version\":\"1.0.0\",\"views\":[\"run_tests\"]}");
    } else if (!has_id || is_string(word, "cancel")) {
        return CARPEL_ANSWERED;
    } else if (is_string(word, "card")) {
        put(&text, "{\"reply\":\"card\",\"id\":");
        put_number(&text, id);
        put(&text, ",\"card\":");
        put_card(&text, member(whole, "call"));
        put(&text, "}");
    } else {
        put(&text, "{\"reply\":\"error\",\"id\":");
        put_number(&text, id);
        put(&text, ",\"message\":\"test-summary draws cards only\"}");
    }
    int32_t taken = text.failed ? CARPEL_NOT_TEXT : reply(to, text.bytes, text.length);
    free(text.bytes);
    return taken == CARPEL_TAKEN ? CARPEL_ANSWERED : CARPEL_FAILED;
}

const carpel_plugin *carpel_plugin_v1(void) {
    static const carpel_plugin plugin = {CARPEL_ABI, sizeof plugin, request};
    return &plugin;
}
