func before(a: Int) -> Int { a }

class Damaged {
    func first() {}

    func
    if (a) { b( }

    func last() {
        let c = )
    }
}

struct After {
    func whole() {}
}

func
