import Timeline

/// Events in the order of their times; events at the same time in the order in which they were added.
struct EventQueue<Event> {
    private struct Entry {
        var time: Instant
        var order: Int
        /// Of the event: events are large, and are not moved while entries are sorted.
        var place: Int

        func isBefore(_ other: Entry) -> Bool { (time, order) < (other.time, other.order) }
    }

    /// A binary heap.
    private var heap: [Entry] = []
    private var events: [Event?] = []
    private var freePlaces: [Int] = []
    private var order = 0

    mutating func add(_ event: consuming Event, at time: Instant) {
        heap.append(Entry(time: time, order: order, place: store(event)))
        order += 1
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func store(_ event: consuming Event) -> Int {
        guard let place = freePlaces.popLast() else {
            events.append(event)
            return events.count - 1
        }
        events[place] = event
        return place
    }

    /// The next event that happens by an instant; nil when none does.
    mutating func next(until end: Instant) -> (time: Instant, event: Event)? {
        guard let first = heap.first, first.time <= end, let event = events[first.place].take() else {
            return nil
        }
        freePlaces.append(first.place)
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.time, event)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2 where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            guard least != parent else { return }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
