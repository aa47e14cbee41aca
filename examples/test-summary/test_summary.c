/*
 * test-summary - a carpel plugin in C: what a test runner printed, as a count and the tests that failed.
 *
 * It draws the calls of a tool `run_tests`, whose arguments are {"filter": "..."} and whose output is that of a runner that
 * speaks TAP (`ok 3 - name`, `not ok 4 - name`) or of cargo (`test name ... ok`, `test name ... FAILED`). While the tests
 * run the count goes up with the live output.
 *
 * Build it with `make`; the plugin is test-summary.so. The JSON that it needs is read and written by json.h. It keeps
 * nothing between two requests.
 */
#include "carpel.h"
#include "json.h"

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
        struct piece all = *name;
        /* A number, a hyphen, each if it is there; the name may begin with digits of its own. */
        while (name->at < name->end && *name->at >= '0' && *name->at <= '9') name->at++;
        while (name->at < name->end && *name->at == ' ') name->at++;
        if (begins(*name, "- ")) name->at += 2;
        while (name->at < name->end && *name->at == ' ') name->at++;
        if (name->at == name->end) *name = all;
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
    if (!output->bytes) return; /* There is no output, and nothing may be added to no address. */
    const char *end = output->bytes + output->length;
    for (const char *at = output->bytes; at < end;) {
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
