/* One name for both. */
typedef struct node {
    struct node *next;
} node;

typedef struct leaf_s { int key; } leaf_t, *leaf_p;
typedef unsigned long long u64;
typedef int matrix[3][3];

/* Which handler was there before. */
void (*set_handler(int signal, void (*handler)(int)))(int) { return handler; }

int (bracketed)(int a) { return a; }
int old_style(a, b) int a; char *b; { return a; }
const char *const volatile_name(int values[static 3], int (*compare)(const void *, const void *)) { return 0; }

__attribute__((constructor))
static void at_start(void) { }

[[nodiscard]] int checked(void) { return 1; }

void stop(int code) __attribute__((noreturn)) { for (;;) { } }

struct __attribute__((packed)) header { char magic[4]; };
struct API handle { int fd; };

#define LOG(level, ...) \
    do { /* once */ \
        write_log(level, __VA_ARGS__); \
    } while (0)
#define EMPTY()
#define CONCAT(a, b) a ## b /* glue */
#  define LONG_LIST(first, \
                    second) first second

#ifdef WITH_THREADS
void *worker(void *state) {
    start(state);
#else
void *lone_worker(void *state) {
#endif
    return state;
}

int choose(int x) {
#if FAST
    if (x) {
#else
    if (!x) {
#endif
        return 1;
    }
    return 0;
}

#ifdef BIG
int width(void) { return 64; }
#else
int width(void) { return 32; }
#endif

#if 0
never { was code
#endif

int last(void) { return EMPTY() 0; }
