/*
 * carpel.h - the interface of a carpel plugin that is a shared library.
 *
 * A plugin draws the calls of a tool in carpel, and may bring commands of its own. It is a child process of carpel that
 * reads JSON objects, one a line, and answers with JSON objects, one a line. This header is for a plugin that is a shared
 * library: `carpel plugin-host FILE` runs as the child, opens the library, and hands it each line that comes.
 * An executable needs no header: it reads and writes the same lines itself.
 *
 * What the lines say is in docs/plugin-wire.md. The least that a plugin answers:
 *
 *   in   {"request":"hello","abi":1,"carpel":"0.1.0","features":[]}
 *   out  {"reply":"hello","abi":1,"name":"mine","version":"1.0.0","views":["my_tool"]}
 *   in   {"request":"card","id":7,"view":"my_tool","call":{...},"cx":{...}}
 *   out  {"reply":"card","id":7,"card":{"title":"12 passed"}}
 *
 * A request whose word you do not know you answer with {"reply":"error","id":ID,"message":"..."} when it has an id, and
 * with nothing when it has none. Fields that you do not know you skip.
 *
 * Build: cc -shared -fPIC -I DIR_OF_THIS_FILE -o mine.so mine.c
 */
#ifndef CARPEL_H
#define CARPEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of the wire. It stands in the table and in your `hello`. */
#define CARPEL_ABI 1u

/* A reply line is at most so many bytes long. */
#define CARPEL_MAX_REPLY (1024u * 1024u)

/* What the request function returns: anything but CARPEL_ANSWERED makes carpel answer the request with an error. */
#define CARPEL_ANSWERED 0
#define CARPEL_FAILED 1

/* What the reply function returns. What was not taken is gone; another reply may be given instead. */
#define CARPEL_TAKEN 0
#define CARPEL_TOO_LONG 1 /* over CARPEL_MAX_REPLY; the text was not looked at */
#define CARPEL_NOT_TEXT 2 /* null, not UTF-8, or with a line feed in it */

/*
 * carpel's function that takes one reply line: `length` bytes of UTF-8 at `text`, without a line feed, no zero byte needed
 * at the end. The text is copied before it returns, so the buffer stays yours. `to` is what you were given with the request.
 * Call it only before your request function returns.
 */
typedef int32_t (*carpel_reply_fn)(void *to, const char *text, size_t length);

/*
 * Your function that takes one request line: `length` bytes of UTF-8 at `line`, without a line feed, and NOT ended by a zero
 * byte. The line is carpel's and goes away when you return. Give each reply to `reply`, with `to` as its first argument.
 * It is called from one thread, one call at a time. What takes longer than 2 seconds counts as a fault.
 */
typedef int32_t (*carpel_request_fn)(const char *line, size_t length, carpel_reply_fn reply, void *to);

/* What your library is to carpel. Later versions of this header add fields at the end. */
typedef struct carpel_plugin {
    uint32_t abi;              /* CARPEL_ABI */
    uint32_t size;             /* sizeof(carpel_plugin) */
    carpel_request_fn request; /* not null */
} carpel_plugin;

#if defined(_WIN32)
#define CARPEL_EXPORT __declspec(dllexport)
#else
#define CARPEL_EXPORT __attribute__((visibility("default")))
#endif

/*
 * The one symbol of your library. It returns a table that lives as long as the process, or null when the library cannot
 * work here. It is called once, before any request. What you print goes to a log, never to the screen.
 */
CARPEL_EXPORT const carpel_plugin *carpel_plugin_v1(void);

#ifdef __cplusplus
}
#endif

#endif
