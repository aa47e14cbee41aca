/*
 * json.h - the JSON that a plugin in C needs: members of objects, strings and numbers are read, texts are written.
 *
 * Nothing is kept and nothing is copied until it is asked for: a value is a piece of the request line. What is no valid
 * JSON gives an empty piece, never a read behind its end. Take what you need of it, or use a JSON library of your own.
 */
#ifndef JSON_H
#define JSON_H

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

static inline void put_bytes(struct text *text, const char *bytes, size_t length) {
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

static inline void put(struct text *text, const char *bytes) {
    put_bytes(text, bytes, strlen(bytes));
}

static inline void put_number(struct text *text, unsigned long long number) {
    char digits[32];
    snprintf(digits, sizeof digits, "%llu", number);
    put(text, digits);
}

/* A JSON string: quotes, backslashes and control characters are escaped, all else stands as it is. */
static inline void put_string(struct text *text, struct piece string) {
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

static inline const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
    return at;
}

/* Behind the string that begins at `at`; null when it does not end. */
static inline const char *skip_string(const char *at, const char *end) {
    for (at++; at < end; at++) {
        if (*at == '"') return at + 1;
        if (*at == '\\' && ++at == end) return NULL;
    }
    return NULL;
}

/* Behind the value that begins at `at`; null when it does not end. No stack is used: brackets are counted. */
static inline const char *skip_value(const char *at, const char *end) {
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
static inline struct piece member(struct piece object, const char *name) {
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

static inline int hex(const char *at, const char *end, unsigned *number) {
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

static inline void put_character(struct text *text, unsigned code) {
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
static inline void read_string(struct piece value, struct text *text) {
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

static inline int is_string(struct piece value, const char *text) {
    size_t length = strlen(text);
    return value.at && (size_t)(value.end - value.at) == length + 2 && *value.at == '"' &&
           memcmp(value.at + 1, text, length) == 0;
}

/* A whole number from 0 on; `known` says whether it is one. */
static inline unsigned long long read_number(struct piece value, int *known) {
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

#endif
