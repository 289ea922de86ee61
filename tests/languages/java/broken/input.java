class Broken {
    /** Kept. */
    int before() {
        return 1;
    }

    void half(int x)
        if (x > 1) {
            run(x);
        }

    int after() {
        return 2;
    }

    int value = = 3;
}

/** Kept too. */
class Next {
    void ok() {}
}
