import Testing
import Timeline

@testable import Recorder

private func segment(_ number: Int64, key: String = "http://keys.test/1", map: String? = nil)
    -> KeyPendingSegment
{
    let start = at(Double(number) * 6)
    return KeyPendingSegment(
        channel: PublisherStage.fact(video(0), 0).channel,
        identity: SegmentIdentity(rendition: video(0), run: 1, number: number), start: start,
        duration: 6 * seconds, container: .transportStream, cipher: .init(keyURL: key, iv: []),
        initialization: map.map { .init(name: "init", cipher: .init(keyURL: $0, iv: [])) }, arrived: start,
        source: "")
}

@Suite("Segments that wait for keys")
struct KeyQueueTests {
    private var queue = KeyQueue()

    @Test("A key is asked for soon, then at growing distances, none beyond half a minute")
    mutating func pace() {
        _ = queue.add(segment(1), now: moment(0))
        #expect(queue.due(now: moment(0)) == nil)
        var asked: [Double] = []
        for step in 0..<3000 {
            let time = Double(step) / 10
            guard let due = queue.due(now: moment(time)) else { continue }
            asked.append(time)
            queue.missedKey(of: due, now: moment(time))
        }
        let pauses = zip(asked.dropFirst(), asked).map { $0 - $1 }
        #expect(asked.first.map { $0 <= 1 } == true)
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 + 0.2 })
        #expect(pauses.allSatisfy { $0 <= 30.2 } && pauses.last.map { $0 >= 29.8 } == true)
        #expect(asked.count <= 20)
    }

    @Test("Segments with the same keys wait together, others do not wait with them")
    mutating func together() {
        for number in 1...3 { _ = queue.add(segment(Int64(number)), now: moment(0)) }
        _ = queue.add(segment(4, key: "http://keys.test/2"), now: moment(0.2))
        _ = queue.add(segment(5, map: "http://keys.test/2"), now: moment(0.3))
        #expect(queue.due(now: moment(1))?.identity.number == 1)
        queue.missedKey(of: segment(1), now: moment(1))
        #expect(queue.due(now: moment(1))?.identity.number == 4)
        queue.missedKey(of: segment(4, key: "http://keys.test/2"), now: moment(1))
        #expect(queue.due(now: moment(1))?.identity.number == 5)
        queue.missedKey(of: segment(5, map: "http://keys.test/2"), now: moment(1))
        #expect(queue.due(now: moment(1)) == nil)
    }

    @Test("One that comes later does not bring forward the try for the key that the others wait for")
    mutating func later() {
        _ = queue.add(segment(1), now: moment(0))
        for _ in 0..<8 { queue.missedKey(of: segment(1), now: moment(10)) }
        _ = queue.add(segment(2), now: moment(11))
        #expect(queue.due(now: moment(20)) == nil)
    }

    @Test("When one is opened, all with its keys are due, oldest first, and no other")
    mutating func opened() {
        for number in 1...3 { _ = queue.add(segment(Int64(number)), now: moment(0)) }
        _ = queue.add(segment(4, key: "http://keys.test/2"), now: moment(0))
        queue.missedKey(of: segment(1), now: moment(1))
        queue.missedKey(of: segment(4, key: "http://keys.test/2"), now: moment(1))
        queue.remove(segment(1), isOpened: true, now: moment(1.5))
        for number: Int64 in [2, 3] {
            #expect(queue.due(now: moment(1.5))?.identity.number == number)
            queue.remove(segment(number), isOpened: true, now: moment(1.5))
        }
        #expect(queue.due(now: moment(1.5)) == nil)
    }

    @Test("When one is opened, those are due once whose keys differ in the query alone")
    mutating func tokens() {
        for number in 1...3 {
            _ = queue.add(segment(Int64(number), key: "http://keys.test/1?t=\(number)"), now: moment(0))
        }
        let first = segment(1, key: "http://keys.test/1?t=1")
        let second = segment(2, key: "http://keys.test/1?t=2")
        _ = queue.add(segment(4, key: "http://keys.test/1?t=2"), now: moment(0))
        for segment in [first, second, segment(3, key: "http://keys.test/1?t=3")] {
            queue.missedKey(of: segment, now: moment(1))
        }
        queue.remove(second, isOpened: true, now: moment(1.5))
        #expect(queue.due(now: moment(1.5))?.identity.number == 1)
        queue.missedKey(of: first, now: moment(1.5))
        queue.remove(segment(4, key: "http://keys.test/1?t=2"), isOpened: true, now: moment(1.6))
        #expect(queue.due(now: moment(1.6))?.identity.number == 3)
        queue.remove(segment(3, key: "http://keys.test/1?t=3"), isOpened: false, now: moment(1.6))
        #expect(queue.due(now: moment(1.6)) == nil)
    }

    @Test("One that its key does not open stays behind alone")
    mutating func alone() {
        for number in 1...2 { _ = queue.add(segment(Int64(number)), now: moment(0)) }
        queue.failed(segment(1), now: moment(1))
        #expect(queue.due(now: moment(1))?.identity.number == 2)
    }

    @Test("After the longest wait a segment is given up, and not before")
    mutating func expiry() {
        let wait = Double(Limits.keyWait.components.seconds)
        _ = queue.add(segment(1), now: moment(0))
        _ = queue.add(segment(2), now: moment(60))
        #expect(queue.firstExpiry == moment(wait))
        #expect(queue.takeExpired(now: moment(wait - 0.001)).isEmpty)
        #expect(queue.takeExpired(now: moment(wait)).map(\.identity.number) == [1])
        #expect(queue.takeExpired(now: moment(wait + 61)).map(\.identity.number) == [2])
        #expect(queue.next == nil && queue.firstExpiry == nil)
    }

    @Test("When too many wait, the oldest gives way")
    mutating func bound() {
        var given: [KeyPendingSegment] = []
        for number in 0..<Limits.segmentsWithoutKey {
            given += queue.add(segment(Int64(number)), now: moment(0)).map { [$0] } ?? []
        }
        #expect(given.isEmpty)
        #expect(queue.add(segment(-1), now: moment(0))?.identity.number == 0)
        #expect(queue.add(segment(-2), now: moment(0))?.identity.number == 1)
    }
}
