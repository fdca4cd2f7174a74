import Catalogue
import TestSupport
import Testing
import Timeline

@testable import Recorder

/// One random course of events: segments of one to three renditions are listed, then stored, lost or never
/// heard of again; with holes, boundaries, new states, longer segments and silences.
struct PublisherSchedule {
    enum Event {
        case listed([PendingSegment])
        case stored(SegmentFact)
        case lost(PlacedSegment)
    }

    var renditions: [RenditionID]
    var events: [(time: Double, rendition: RenditionID, event: Event)] = []

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        renditions = Array(
            [video(0), video(1), audio].shuffled(using: &random).prefix(.random(in: 1...3, using: &random)))
        let restart = Double.random(in: 30...120, using: &random)
        for rendition in renditions { add(rendition, restart: restart, &random) }
        events.sort { $0.time < $1.time }
    }

    private mutating func add(_ rendition: RenditionID, restart: Double, _ random: inout SeededGenerator) {
        let length = Double(Int.random(in: 1...6, using: &random))
        let failures: Double = [0.0, 0.02, 0.2].randomElement(using: &random) ?? 0
        var start = Double.random(in: 0...length, using: &random)
        var delay = 0.0
        var generation = 0
        while start < 180 {
            var lasting = length
            var boundary: DiscontinuityCause?
            if Double.random(in: 0...1, using: &random) < 0.01 {
                lasting += Double.random(in: 0...4, using: &random)
            }
            if Double.random(in: 0...1, using: &random) < 0.01 {
                start += Double.random(in: 1...20, using: &random)
            }
            if Double.random(in: 0...1, using: &random) < 0.01 {
                delay = Double.random(in: 0...60, using: &random)
            }
            if generation == 0, start > restart { (generation, boundary) = (1, .restart) }
            if Double.random(in: 0...1, using: &random) < 0.01 { boundary = .listed }
            delay = max(0, delay - length / 2)
            let listing = start + lasting + delay
            add(
                rendition, start, lasting, boundary, generation, listing: listing,
                fails: Double.random(in: 0...1, using: &random) < failures, &random)
            start += lasting
        }
    }

    private mutating func add(
        _ rendition: RenditionID, _ start: Double, _ lasting: Double, _ boundary: DiscontinuityCause?,
        _ generation: Int,
        listing: Double, fails: Bool, _ random: inout SeededGenerator,
    ) {
        let fact = PublisherStage.fact(rendition, start, lasting: lasting, initName: "init-\(generation)")
        var placed = fact.placed
        placed.boundary = boundary
        let segment = PendingSegment(placed)
        events.append((listing, rendition, .listed([segment])))
        let later = listing + Double.random(in: 0...2, using: &random)
        guard fails else { return events.append((later, rendition, .stored(fact))) }
        switch Int.random(in: 0...2, using: &random) {
        case 0:
            events.append(
                (
                    later, rendition,
                    .lost(
                        PlacedSegment(
                            identity: fact.identity, start: fact.start, duration: fact.duration))
                ))
        case 1: events.append((later + .random(in: 0...40, using: &random), rendition, .stored(fact)))
        default: break
        }
    }
}

/// Runs a schedule and looks at every step whether what must always hold does.
struct PublisherWatch {
    var stage: PublisherStage
    private var stored: [SegmentIdentity: Double] = [:]
    private var decided: [SegmentIdentity: Double] = [:]
    private var faults: [String] = []
    private var sign: [RenditionID: Double] = [:]

    /// What did not hold, in words.
    static func faults(of schedule: PublisherSchedule, limit: Int = .max) -> [String] {
        var watch = PublisherWatch(schedule)
        watch.stage.limit = limit
        var events = schedule.events[...]
        while watch.stage.now < 300 {
            while let next = events.first, next.time <= watch.stage.now { watch.take(events.removeFirst()) }
            watch.step()
        }
        watch.judgeEnd()
        return watch.faults
    }

    private init(_ schedule: PublisherSchedule) {
        stage = PublisherStage(target: 6)
        for rendition in schedule.renditions {
            stage.publisher.open(RenditionQueue(rendition: rendition, now: moment(0)))
            sign[rendition] = 0
        }
    }

    private mutating func take(_ next: (time: Double, rendition: RenditionID, event: PublisherSchedule.Event))
    {
        switch next.event {
        case .listed(let segments):
            if stage.publisher.queues[next.rendition]?.segments.isEmpty ?? false {
                sign[next.rendition] = stage.now
            }
            stage.publisher.listed(segments, of: next.rendition, now: moment(stage.now))
        case .stored(let fact):
            stored[fact.identity] = stage.now
            if stage.publisher.queues[next.rendition]?.segments.contains(where: {
                $0.identity == fact.identity
            })
                ?? false
            {
                sign[next.rendition] = stage.now
            }
            stage.publisher.stored(fact, now: moment(stage.now))
        case .lost(let segment):
            stage.publisher.lost(segment, reason: .segmentMissing, note: "lost")
        }
    }

    private mutating func step() {
        let before = (
            stage.watermark, stage.segments.count, stage.publisher.targetSeconds,
            stage.discontinuityStarts.count
        )
        stage.advance(to: stage.now + 1)
        for segment in stage.segments[before.1...] { judge(segment, watermark: before.0) }
        if stage.watermark < before.0 { faults.append("the watermark ran back to \(stage.watermark)") }
        if stage.watermark > before.0 { judgeWatermark() }
        if stage.publisher.targetSeconds != before.2, stage.discontinuityStarts.count == before.3 {
            faults.append("the target duration changed within an epoch")
        }
    }

    private mutating func judge(_ segment: DecidedSegment, watermark: Double) {
        let fact = segment.fact
        if decided.updateValue(stage.now, forKey: fact.identity) != nil {
            faults.append("\(fact.identity) decided twice")
        }
        if stored[fact.identity] == nil { faults.append("\(fact.identity) decided before it was stored") }
        guard segment.number != nil else { return }
        sign[fact.identity.rendition] = stage.now
        if PublisherStage.seconds(fact.start) < watermark {
            faults.append("\(fact.identity) published behind the watermark")
        }
    }

    /// Renditions that showed a sign of life within three target durations hold the watermark.
    private mutating func judgeWatermark() {
        for queue in stage.publisher.queues.values where stage.now - (sign[queue.rendition] ?? 0) <= 18 {
            if let first = queue.segments.first, first.start < stage.publisher.watermark {
                faults.append("the watermark passed \(first.identity)")
            }
            if queue.segments.isEmpty, let end = queue.settledEnd, end < stage.publisher.watermark {
                faults.append("the watermark passed the end of \(queue.rendition)")
            }
        }
    }

    private mutating func judgeEnd() {
        let undecided = stored.keys.filter { decided[$0] == nil }
        if !undecided.isEmpty { faults.append("never decided: \(undecided)") }
        for (identity, time) in decided where time - (stored[identity] ?? time) > 60 {
            faults.append(
                "\(identity) was decided \(time - (stored[identity] ?? time)) s after it was stored")
        }
        for rendition in stage.publisher.queues.keys { judge(rendition) }
        judgeEpochs()
    }

    private mutating func judge(_ rendition: RenditionID) {
        let own = stage.segments.filter { $0.fact.identity.rendition == rendition && $0.number != nil }
        if own.map(\.number) != own.indices.map({ Int64($0) }) {
            faults.append("numbers of \(rendition) have holes")
        }
        for (one, next) in zip(own, own.dropFirst()) {
            guard let epoch = one.discontinuitySequence, let following = next.discontinuitySequence else {
                return faults.append("no epoch")
            }
            if following < epoch { faults.append("epochs of \(rendition) run back") }
            if next.fact.start < one.fact.end {
                faults.append("\(next.fact.identity) overlaps the one before it")
            }
            let isSeam =
                next.fact.start - one.fact.end <= 1000
                && next.fact.format.initName == one.fact.format.initName
            if !isSeam, following == epoch { faults.append("no boundary before \(next.fact.identity)") }
        }
    }

    private mutating func judgeEpochs() {
        let discontinuityStarts = stage.discontinuityStarts
        if discontinuityStarts.map(\.sequence) != discontinuityStarts.indices.map({ Int32($0) }) {
            faults.append("epochs are \(discontinuityStarts.map(\.sequence))")
        }
        if zip(discontinuityStarts, discontinuityStarts.dropFirst()).contains(where: { $1.begin < $0.begin })
        {
            faults.append("begins run back")
        }
        for segment in stage.segments {
            guard let number = segment.discontinuitySequence.map(Int.init),
                discontinuityStarts.indices.contains(number)
            else { continue }
            let fact = segment.fact
            if fact.start + fact.duration / 2 < discontinuityStarts[number].begin {
                faults.append("\(fact.identity) before its epoch")
            }
            if number + 1 < discontinuityStarts.count, fact.end > discontinuityStarts[number + 1].begin {
                faults.append("\(fact.identity) reaches into the next epoch")
            }
            if (fact.duration + 500_000) / seconds > Int64(discontinuityStarts[number].targetSeconds) {
                faults.append("\(fact.identity) is longer than the target duration")
            }
        }
    }
}

@Suite("Publisher, random schedules")
struct PublisherPropertyTests {
    @Test("What must always hold, holds in a thousand random schedules", arguments: 0..<10)
    func schedules(hundred: UInt64) {
        for seed in hundred * 100..<(hundred + 1) * 100 {
            let faults = PublisherWatch.faults(of: PublisherSchedule(seed: seed))
            #expect(faults.isEmpty, "seed \(seed): \(faults.prefix(3).joined(separator: "; "))")
        }
    }

    @Test("What must always hold, holds when a few facts are decided at a time", arguments: 0..<3)
    func smallBatches(hundred: UInt64) {
        for seed in hundred * 100..<(hundred + 1) * 100 {
            let faults = PublisherWatch.faults(of: PublisherSchedule(seed: seed), limit: 7)
            #expect(faults.isEmpty, "seed \(seed): \(faults.prefix(3).joined(separator: "; "))")
        }
    }
}
