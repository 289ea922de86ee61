/* Kept. */
int before(int a) {
    return a;
}

int half(int b) {
    if (b {
        return b +;

int after(int c)
{
    return c;
}

struct kept { int a; };

} }

static while (x) { call(; }
int else (int y) { return y; }

#define KEPT(x) (x)

enum { ONLY_VALUES };
struct { int no_name; } holder;
