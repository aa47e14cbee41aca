/*
 * rogue - a carpel plugin that goes wrong, in one way a library: cc -DROGUE=hang makes the one that hangs.
 *
 * It draws the calls of a tool `rogue`. Most faults come with a card; those of the last group come when the library is
 * opened or says hello. `fine` does nothing wrong and shows that the others would be well but for their fault.
 */
#include "carpel.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each mode with what it does. The Makefile reads this list. */
#define MODES \
    X(fine, "nothing wrong") \
    X(abort, "aborts") \
    X(exit, "ends the process with 0") \
    X(segfault, "writes where it may not") \
    X(bus, "gets a bus error") \
    X(stack, "overflows its stack") \
    X(hang, "never returns, and takes all of a processor") \
    X(sleep, "takes 10 seconds") \
    X(silent, "returns without a reply") \
    X(fails, "returns a number that is no success") \
    X(endless_replies, "gives replies without end") \
    X(endless_print, "prints without end") \
    X(prints, "prints terminal commands and a line that looks like a reply") \
    X(memory, "takes memory without end") \
    X(not_json, "replies with what is no JSON") \
    X(not_utf8, "replies with bytes that are no UTF-8") \
    X(line_feed, "replies with two lines as one") \
    X(negative, "replies with a size of -1") \
    X(null, "replies with no text, but a size") \
    X(huge, "replies with more than may be read") \
    X(just_too_long, "replies with one byte too many") \
    X(deep, "replies with JSON of 100000 levels") \
    X(bad_card, "replies with a card that is none") \
    X(wrong_id, "replies to a request that nobody sent") \
    X(twice, "replies twice") \
    X(hostile, "replies with a card full of terminal commands") \
    X(closes, "closes its standard streams") \
    X(steals_signals, "ignores signals") \
    X(duplicate, "draws the tool `kubectl`, which another example draws") \
    X(bad_key, "draws a tool whose key can never match") \
    X(empty_name, "has no name") \
    X(wrong_abi, "was built against ABI 99, says its table") \
    X(hello_abi, "was built against ABI 99, says its hello") \
    X(hello_hangs, "never says hello") \
    X(hello_not_json, "says no JSON for hello") \
    X(small_table, "has a table that is too small") \
    X(null_table, "gives no table") \
    X(wild_table, "gives a table that is nowhere") \
    X(null_request, "has no function in its table") \
    X(entry_aborts, "aborts when it is asked for its table") \
    X(entry_hangs, "hangs when it is asked for its table") \
    X(no_symbol, "has no symbol of the right name") \
    X(ctor_segfault, "crashes while it is opened") \
    X(ctor_hangs, "hangs while it is opened") \
    X(ctor_exit, "ends the process while it is opened")

enum mode {
#define X(name, what) MODE_##name,
    MODES
#undef X
};

#define JOIN(a, b) a##b
#define MODE_OF(name) JOIN(MODE_, name)
#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)

#ifndef ROGUE
#define ROGUE fine
#endif

static const enum mode MODE = MODE_OF(ROGUE);
static volatile int always = 1;

static void hang(void) {
    while (always) {
    }
}

static int overflow(int depth) {
    volatile char room[65536];
    if (!always) return 0;
    room[0] = (char)depth;
    return overflow(depth + 1) + room[0];
}

static int32_t give(carpel_reply_fn reply, void *to, const char *text) {
    return reply(to, text, strlen(text));
}

/* The number behind "id", which carpel writes before anything that somebody else wrote. */
static unsigned long long id_of(const char *line, size_t length, int *is_there) {
    static const char mark[] = "\"id\":";
    for (size_t at = 0; at + sizeof mark - 1 < length; at++) {
        if (memcmp(line + at, mark, sizeof mark - 1) == 0) {
            unsigned long long id = 0;
            for (at += sizeof mark - 1; at < length && line[at] >= '0' && line[at] <= '9'; at++)
                id = id * 10 + (unsigned long long)(line[at] - '0');
            *is_there = 1;
            return id;
        }
    }
    *is_there = 0;
    return 0;
}

static int is_request(const char *line, size_t length, const char *word) {
    char head[64];
    int size = snprintf(head, sizeof head, "{\"request\":\"%s\"", word);
    return size > 0 && (size_t)size <= length && memcmp(line, head, (size_t)size) == 0;
}

static int32_t hello(carpel_reply_fn reply, void *to) {
    const char *name = "rogue-" NAME_OF(ROGUE), *key = "rogue";
    unsigned abi = CARPEL_ABI;
    char text[512];
    if (MODE == MODE_hello_hangs) hang();
    if (MODE == MODE_hello_not_json) return give(reply, to, "hello");
    if (MODE == MODE_hello_abi) abi = 99;
    if (MODE == MODE_duplicate) key = "kubectl";
    if (MODE == MODE_bad_key) key = "ro*gue";
    if (MODE == MODE_empty_name) name = "";
    snprintf(text, sizeof text,
             "{\"reply\":\"hello\",\"abi\":%u,\"name\":\"%s\",\"version\":\"1.0.0\",\"views\":[\"%s\"]}", abi, name, key);
    return give(reply, to, text);
}

/* A text of `size` bytes with `fill` between `head` and `tail`. */
static int32_t give_filled(carpel_reply_fn reply, void *to, const char *head, char fill, const char *tail, size_t size) {
    char *text = malloc(size + 1);
    size_t from = strlen(head), back = strlen(tail);
    if (!text || from + back > size) return CARPEL_FAILED;
    memset(text, fill, size);
    memcpy(text, head, from);
    memcpy(text + size - back, tail, back);
    int32_t taken = reply(to, text, size);
    free(text);
    return taken;
}

static int32_t card(unsigned long long id, carpel_reply_fn reply, void *to) {
    char text[1024], head[256];
    snprintf(text, sizeof text, "{\"reply\":\"card\",\"id\":%llu,\"card\":{\"title\":\"rogue %s\"}}", id, NAME_OF(ROGUE));
    snprintf(head, sizeof head, "{\"reply\":\"card\",\"id\":%llu,\"card\":{\"body\":[{\"output\":\"", id);
    switch (MODE) {
    case MODE_abort: abort();
    case MODE_exit: exit(0);
    case MODE_segfault: *(volatile int *)1 = 1; break;
    case MODE_bus: raise(SIGBUS); break;
    case MODE_stack: overflow(0); break;
    case MODE_hang: hang(); break;
    case MODE_sleep: sleep(10); break;
    case MODE_silent: return CARPEL_ANSWERED;
    case MODE_fails: return -7;
    case MODE_endless_replies:
        while (always) give(reply, to, text);
        break;
    case MODE_endless_print:
        while (always) puts("and another line, and another");
        break;
    case MODE_prints:
        printf("\033[2J\033]0;rogue\007\n%s\n", text);
        fflush(stdout);
        fputs("\033[31mon standard error\n", stderr);
        break;
    case MODE_memory:
        while (always) {
            char *more = malloc(1 << 20);
            if (more) memset(more, 1, 1 << 20);
        }
        break;
    case MODE_not_json: return give(reply, to, "this is {no] JSON"), CARPEL_ANSWERED;
    case MODE_not_utf8: return give(reply, to, "{\"reply\":\"card\",\"id\":1,\"card\":{\"title\":\"\xff\xc0\"}}"), CARPEL_ANSWERED;
    case MODE_line_feed:
        snprintf(head, sizeof head, "{\"reply\":\"card\",\"id\":%llu,\n\"card\":{}}", id);
        return give(reply, to, head), CARPEL_ANSWERED;
    case MODE_negative: return reply(to, text, (size_t)-1), CARPEL_ANSWERED;
    case MODE_null: return reply(to, NULL, 20), CARPEL_ANSWERED;
    case MODE_huge: return give_filled(reply, to, head, 'x', "\"}]}}", 64u << 20), CARPEL_ANSWERED;
    case MODE_just_too_long: return give_filled(reply, to, head, 'x', "\"}]}}", CARPEL_MAX_REPLY + 1), CARPEL_ANSWERED;
    case MODE_deep:
        snprintf(head, sizeof head, "{\"reply\":\"card\",\"id\":%llu,\"card\":", id);
        return give_filled(reply, to, head, '[', "", 100000), CARPEL_ANSWERED;
    case MODE_bad_card:
        snprintf(head, sizeof head, "{\"reply\":\"card\",\"id\":%llu,\"card\":{\"body\":[{\"tabel\":[]}]}}", id);
        return give(reply, to, head), CARPEL_ANSWERED;
    case MODE_wrong_id: return give(reply, to, "{\"reply\":\"card\",\"id\":4000000000,\"card\":{}}"), CARPEL_ANSWERED;
    case MODE_twice: give(reply, to, text); break;
    case MODE_hostile:
        snprintf(text, sizeof text,
                 "{\"reply\":\"card\",\"id\":%llu,\"card\":{\"title\":\"\\u001b[2J\\u001b]0;x\\u0007title\",\"note\":\"a\\u202eb\","
                 "\"body\":[{\"output\":\"\\u001b]52;c;eA==\\u0007out\\rput\"},{\"markdown\":\"[a](\\u001b[31m)\"},"
                 "{\"matches\":{\"groups\":[{\"path\":\"a\\n\",\"count\":18446744073709551615,\"lines\":[{\"line\":0,"
                 "\"text\":\"\\u00e9\",\"hits\":[[1,0],[1,99],[9,9]]}]}]}},{\"code\":{\"first_line\":18446744073709551615,"
                 "\"text\":\"a\\nb\"}},{\"table\":{\"columns\":[],\"rows\":[[1,2]]}}],"
                 "\"actions\":[{\"open_file\":{\"path\":\"-rf\\n\",\"line\":0}},{\"open_url\":\"javascript:1\"}]}}",
                 id);
        break;
    case MODE_closes:
        close(0), close(1), close(2);
        break;
    case MODE_steals_signals:
        for (int number = 1; number < 32; number++) signal(number, SIG_IGN);
        break;
    default: break;
    }
    return give(reply, to, text) == CARPEL_TAKEN ? CARPEL_ANSWERED : CARPEL_FAILED;
}

static int32_t request(const char *line, size_t length, carpel_reply_fn reply, void *to) {
    char text[256];
    int has_id;
    unsigned long long id = id_of(line, length, &has_id);
    if (is_request(line, length, "hello")) return hello(reply, to) == CARPEL_TAKEN ? CARPEL_ANSWERED : CARPEL_FAILED;
    if (!has_id || is_request(line, length, "cancel")) return CARPEL_ANSWERED;
    if (is_request(line, length, "card")) return card(id, reply, to);
    snprintf(text, sizeof text, "{\"reply\":\"error\",\"id\":%llu,\"message\":\"rogue knows cards only\"}",
             id);
    return give(reply, to, text);
}

__attribute__((constructor)) static void opened(void) {
    if (MODE == MODE_ctor_segfault) *(volatile int *)1 = 1;
    if (MODE == MODE_ctor_hangs) hang();
    if (MODE == MODE_ctor_exit) exit(0);
}

static carpel_plugin table = {CARPEL_ABI, sizeof(carpel_plugin), request};

CARPEL_EXPORT const carpel_plugin *rogue_entry(void) {
    switch (MODE) {
    case MODE_wrong_abi: table.abi = 99; break;
    case MODE_small_table: table.size = 8; break;
    case MODE_null_request: table.request = NULL; break;
    case MODE_null_table: return NULL;
    case MODE_wild_table: return (const carpel_plugin *)8;
    case MODE_entry_aborts: abort();
    case MODE_entry_hangs: hang(); break;
    default: break;
    }
    return &table;
}

/* Of all modes only this name is a number to the preprocessor. */
#define no_symbol 1
#if ROGUE != 1
const carpel_plugin *carpel_plugin_v1(void) {
    return rogue_entry();
}
#endif
