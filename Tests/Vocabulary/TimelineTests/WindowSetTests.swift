import Testing
import Timeline

struct WindowSetTests {
    @Test("Windows that touch or overlap are merged, and empty ones are dropped")
    func joins() {
        #expect(set((5, 6), (0, 2), (2, 3), (9, 9), (1, 2)).windows == [window(0, 3), window(5, 6)])
    }

    @Test("Intersection, difference and length agree with counting instants")
    func algebra() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let (a, b) = (random(&generator), random(&generator))
            #expect(moments(a.intersection(b)) == moments(a).intersection(moments(b)))
            #expect(moments(a.subtracting(b)) == moments(a).subtracting(moments(b)))
            #expect(a.microseconds == Int64(moments(a).count))
            #expect(
                WindowSet(a.windows + b.windows).microseconds == Int64(moments(a).union(moments(b)).count))
        }
    }

    private func random(_ generator: inout SystemRandomNumberGenerator) -> WindowSet {
        WindowSet(
            (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                let begin = Int64.random(in: 0..<40, using: &generator)
                return window(begin, begin + Int64.random(in: 0..<12, using: &generator))
            })
    }

    private func moments(_ set: WindowSet) -> Set<Int64> {
        Set(set.windows.flatMap { $0.begin.microseconds..<$0.end.microseconds })
    }
}

private func window(_ begin: Int64, _ end: Int64) -> TimeWindow {
    TimeWindow(begin: Instant(microseconds: begin), end: Instant(microseconds: end))
}

private func set(_ pairs: (Int64, Int64)...) -> WindowSet {
    WindowSet(pairs.map { window($0.0, $0.1) })
}
