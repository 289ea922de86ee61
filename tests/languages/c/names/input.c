/* „Zug“ – 列車: nothing in a comment is used, not even departs(). */
#include <signal.h>
#include "track/signal_box.h"
#include TRACK_CONFIG

#define MAX_CARS 12
#define LENGTH(train) ((train)->cars * 20)
#define HAS_BUFFERS

struct engine;
extern int delayed_everywhere;
static int departures, *latest = &departures;
static const char *const names[] = {"fast", "slow"};
void (*on_arrival)(struct train *);
int platform_of(const struct train *train);

enum colour { RED, GREEN = 4 };

typedef struct {
    enum colour shown;
    unsigned lit : 1, *history;
    int (*changes)(box_t *box, uint8_t reason);
    union { long code; char text[8]; };
} signal_t;

struct train {
    struct train *next;
    int number, cars;
};

static const struct command commands[] = {
    {"stop", stop_all}, {"go", &go_all}, {.run = check_all, .undo = (undo_fn)nothing},
};

static int depart(struct train *train, signal_t *signal)
{
    int waited = (distance)(cars + 1);
    struct timer *timer = (struct timer *)allocate(sizeof(timer_t));
    signal->changes(box, GREEN);
    (*on_arrival)(train);
    timer->expired = ring_bell;
    visit(train, count_cars, &waited, signal->shown, (visitor_fn)report);
    if (LENGTH(train) > MAX_CARS) {
        announce("not called(): é");
    }
    return waited;
}

void park(struct train *) __attribute__((nonnull, warn_unused));
