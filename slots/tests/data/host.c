/*
 * The least host of a library, by carpel.h alone: host FILE opens it and hands it each line of standard input. Each reply
 * is printed behind `< `, each reply that is not taken and each failure behind `! `. `host` alone prints the contract's
 * numbers.
 */
#include "carpel.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(offsetof(carpel_plugin, abi) == 0, "the number of the wire stands first");

static int is_utf8(const unsigned char *at, size_t length) {
    for (size_t i = 0; i < length;) {
        size_t more = at[i] < 0x80 ? 0 : at[i] >> 5 == 6 ? 1 : at[i] >> 4 == 14 ? 2 : at[i] >> 3 == 30 ? 3 : 9;
        if (more == 9 || (at[i] & 0xfe) == 0xc0 || i + more >= length) return 0;
        for (size_t k = 1; k <= more; k++)
            if (at[i + k] >> 6 != 2) return 0;
        i += more + 1;
    }
    return 1;
}

static int32_t reply(void *to, const char *text, size_t length) {
    ++*(int *)to;
    if (length > CARPEL_MAX_REPLY) {
        puts("! too long");
        return CARPEL_TOO_LONG;
    }
    if (!text || memchr(text, '\n', length) || !is_utf8((const unsigned char *)text, length)) {
        puts("! not text");
        return CARPEL_NOT_TEXT;
    }
    printf("< %.*s\n", (int)length, text);
    fflush(stdout);
    return CARPEL_TAKEN;
}

static int fault(const char *what) {
    printf("! %s\n", what);
    return 3;
}

int main(int count, char **arguments) {
    if (count < 2) {
        printf("%u %u %zu %zu %zu %zu\n", CARPEL_ABI, CARPEL_MAX_REPLY, sizeof(carpel_plugin), offsetof(carpel_plugin, size),
               offsetof(carpel_plugin, request), sizeof(carpel_request_fn));
        printf("%d %d %d %d %d\n", CARPEL_ANSWERED, CARPEL_FAILED, CARPEL_TAKEN, CARPEL_TOO_LONG, CARPEL_NOT_TEXT);
        return 0;
    }
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return fault("not opened");
    const carpel_plugin *(*entry)(void);
    *(void **)&entry = dlsym(library, "carpel_plugin_v1");
    if (!entry) return fault("no symbol");
    const carpel_plugin *plugin = entry();
    if (!plugin) return fault("no table");
    if (plugin->abi != CARPEL_ABI) return fault("another ABI");
    if (plugin->size < sizeof *plugin) return fault("a small table");
    if (!plugin->request) return fault("no function");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, stdin)) > 0) {
        if (line[length - 1] == '\n') length--;
        /* A copy without an end, so that a library that reads on is seen by a checker of memory. */
        char *lent = malloc(length ? (size_t)length : 1);
        memcpy(lent, line, (size_t)length);
        int replies = 0;
        int32_t answered = plugin->request(lent, (size_t)length, reply, &replies);
        free(lent);
        if (answered != CARPEL_ANSWERED) printf("! failed with %d\n", (int)answered);
        printf(". %d\n", replies);
        fflush(stdout);
    }
    free(line);
    return 0;
}
