/* A queue of jobs. */
#ifndef QUEUE_H
#define QUEUE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nobody sees inside. */
struct queue;
typedef struct queue queue_t;

enum queue_kind {
    QUEUE_FIRST, /* in order */
    QUEUE_LAST
};

/* Declared here, defined and found in a source file. */
QUEUE_API queue_t *queue_new(enum queue_kind kind);
void queue_free(queue_t *queue);

/* How many are waiting. */
static inline size_t queue_length(const queue_t *queue) {
    return queue ? 1 : 0;
}

#define QUEUE_IS_EMPTY(queue) (queue_length(queue) == 0)

#ifdef __cplusplus
}
#endif

#endif
