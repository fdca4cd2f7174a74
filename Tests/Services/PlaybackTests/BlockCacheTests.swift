import Catalogue
import Concurrency
import Synchronization
import Testing
import Timeline

@testable import Playback

struct BlockCacheTests {
    /// A clock that a test sets.
    private final class Time: Sendable {
        private let instant = Mutex(SteadyInstant.now)

        var now: SteadyInstant { instant.withLock { $0 } }

        func pass(_ duration: Duration) {
            instant.withLock { $0 += duration }
        }
    }

    private func quarters(_ numbers: Range<Int64>, of rendition: Int32 = 1) -> [Quarter] {
        numbers.map { Quarter(rendition: rendition, containing: $0 * Quarter.microseconds) }
    }

    private func block(_ quarter: Quarter, revision: Int32 = 1) -> Block {
        let version = QuarterVersion(revision: revision, begin: 0, end: 0, segments: 0)
        return Block(
            QuarterRecord(quarter: quarter, version: version, segments: []), formats: [:],
            rendition: RenditionID(kind: .video, index: 0))
    }

    private let idle = { (_: QuarterRange, _: Int) in
        BlockCache.Load { .success([]) }
    }

    /// Loads that were requested and are finished by the test.
    private func take(_ cache: BlockCache, _ quarters: [Quarter]) -> (
        blocks: [Block], asked: [(QuarterRange, Int)]
    ) {
        var asked: [(QuarterRange, Int)] = []
        let taken = cache.take(quarters) { range, number in
            asked.append((range, number))
            return idle(range, number)
        }
        return (taken.blocks, asked)
    }

    @Test("Consecutive quarters are one load, at most a day; a hole makes two")
    func ranges() {
        let numbers = quarters(0..<3) + quarters(5..<205)
        #expect(QuarterRange.joining(numbers, atMost: 96).map(\.count) == [3, 96, 96, 8])
        #expect(QuarterRange.joining(numbers, atMost: 96).flatMap(\.quarters) == numbers)
        #expect(QuarterRange.joining(quarters(0..<2) + quarters(2..<4, of: 2)).map(\.count) == [2, 2])
    }

    @Test("A running load is shared, and its blocks are cached when it finishes")
    func sharing() {
        let cache = BlockCache(capacity: 1 << 20, clock: .system)
        let wanted = quarters(0..<4)
        let first = take(cache, wanted)
        #expect(first.blocks.isEmpty && first.asked.map(\.0.count) == [4])
        #expect(take(cache, Array(wanted.prefix(2))).asked.isEmpty)
        cache.finish(first.asked[0].0, number: first.asked[0].1, blocks: wanted.map { block($0) })
        let second = take(cache, quarters(2..<6))
        #expect(second.blocks.map(\.quarter) == quarters(2..<4))
        #expect(second.asked.map(\.0.quarters) == [quarters(4..<6)])
    }

    // request                     change
    // load begins, reads row 1
    //                             row 2 is committed and announced
    // load ends with row 1        → must not be kept
    @Test("A load that began before a change does not store its blocks")
    func overtaken() {
        let cache = BlockCache(capacity: 1 << 20, clock: .system)
        let wanted = quarters(0..<2)
        let (range, number) = take(cache, wanted).asked[0]
        cache.detachLoads(of: [wanted[1]])
        let later = take(cache, wanted).asked
        #expect(later.map(\.0.quarters) == [[wanted[1]]])
        cache.finish(range, number: number, blocks: wanted.map { block($0) })
        #expect(cache.blocks(ofRenditions: [1]).map(\.quarter) == [wanted[0]])
        cache.finish(later[0].0, number: later[0].1, blocks: [block(wanted[1], revision: 2)])
        #expect(take(cache, wanted).blocks.map { $0.version?.revision } == [1, 2])
    }

    @Test("Memory stays below the limit, and recently used blocks stay")
    func capacity() {
        let one = block(quarters(0..<1)[0]).byteCount
        let cache = BlockCache(capacity: 20 * one, clock: .system)
        for quarter in quarters(0..<100) {
            let (range, number) = take(cache, [quarter]).asked[0]
            cache.finish(range, number: number, blocks: [block(quarter)])
            #expect(cache.blocks(ofRenditions: [1]).count <= 20)
            _ = take(cache, quarters(0..<1))
        }
        let left = cache.blocks(ofRenditions: [1]).map(\.quarter.begin).sorted()
        #expect(left.first == 0)
        #expect(left.last == 99 * Quarter.microseconds)
        #expect(left.count >= 18)
    }

    @Test("Reading many old windows once does not evict blocks that are used repeatedly")
    func walk() {
        let time = Time()
        var clock = HostClock.system
        clock.steady = { time.now }
        let cache = BlockCache(capacity: 20 * Limits.blockOverhead, clock: clock)
        func walk(_ numbers: Range<Int64>) {
            for quarter in quarters(numbers) {
                cache.replace([], with: [block(quarter)])
                time.pass(.milliseconds(100))
                #expect(take(cache, [quarter]).blocks.count == 1)
            }
        }
        let live = quarters(0..<4)
        cache.replace([], with: live.map { block($0) })
        time.pass(.seconds(2))
        #expect(take(cache, live).blocks.count == 4)
        walk(100..<200)
        #expect(cache.missing(QuarterRange(first: live[0], count: 4)) == 0)
        time.pass(Limits.reusedFor)
        walk(300..<400)
        #expect(cache.missing(QuarterRange(first: live[0], count: 4)) == 4)
    }

    @Test(
        "When memory is full a call drops what it needs, and others are told of each tenth that was dropped",
        arguments: [1, 7, 96, 300] as [Int64])
    func dropping(atOnce: Int64) {
        let isTold = Mutex(false)
        let cache = BlockCache(capacity: 1_000 * Limits.blockOverhead, clock: .system) {
            isTold.withLock { $0 = true }
        }
        cache.replace([], with: quarters(0..<1_000).map { block($0) })
        var heldByOthers: Int64 = 0
        for begin in stride(from: Int64(1_000), to: 4_000, by: Int(atOnce)) {
            cache.replace([], with: quarters(begin..<begin + atOnce).map { block($0) })
            #expect(cache.blocks(ofRenditions: [1]).count == 1_000)
            heldByOthers += atOnce
            let drops = isTold.withLock { isTold in
                defer { isTold = false }
                return isTold
            }
            #expect(drops == (heldByOthers >= 100), "\(begin)")
            if drops { heldByOthers = 0 }
        }
    }

    @Test("A change replaces blocks")
    func replacing() {
        let cache = BlockCache(capacity: 1 << 20, clock: .system)
        let all = quarters(0..<3)
        cache.replace([], with: all.map { block($0) })
        cache.replace([all[0], all[1]], with: [block(all[1], revision: 2)])
        let left = cache.blocks(ofRenditions: [1]).sorted { $0.quarter.begin < $1.quarter.begin }
        #expect(left.map(\.quarter) == [all[1], all[2]])
        #expect(left.map { $0.version?.revision } == [2, 1])
    }
}
