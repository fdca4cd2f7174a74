/// A set of instants, stored as windows that are sorted, separate and not empty.
package struct WindowSet: Sendable, Equatable {
    package private(set) var windows: [TimeWindow]

    /// Merges windows that touch or overlap.
    package init(_ windows: [TimeWindow] = []) {
        self.windows = []
        for window in windows.filter({ !$0.isEmpty }).sorted(by: { $0.begin < $1.begin }) {
            if let last = self.windows.last, window.begin <= last.end {
                self.windows[self.windows.count - 1].end = max(last.end, window.end)
            } else {
                self.windows.append(window)
            }
        }
    }

    package var microseconds: Int64 {
        windows.reduce(0) { $0 + $1.microseconds }
    }

    package func intersection(_ other: WindowSet) -> WindowSet {
        var common: [TimeWindow] = []
        var (i, j) = (0, 0)
        while i < windows.count, j < other.windows.count {
            let part = windows[i].clamped(to: other.windows[j])
            if !part.isEmpty { common.append(part) }
            if windows[i].end < other.windows[j].end { i += 1 } else { j += 1 }
        }
        return WindowSet(common)
    }

    package func subtracting(_ other: WindowSet) -> WindowSet {
        var rest: [TimeWindow] = []
        var j = 0
        for window in windows {
            var begin = window.begin
            while j < other.windows.count, other.windows[j].end <= begin { j += 1 }
            var k = j
            while k < other.windows.count, other.windows[k].begin < window.end {
                if other.windows[k].begin > begin {
                    rest.append(TimeWindow(begin: begin, end: other.windows[k].begin))
                }
                begin = max(begin, other.windows[k].end)
                k += 1
            }
            if begin < window.end { rest.append(TimeWindow(begin: begin, end: window.end)) }
        }
        return WindowSet(rest)
    }
}
