import Recorder
import Timeline

/// Everything that happens to one channel in a simulation; the same seed gives the same scenario.
struct Scenario: Sendable {
    /// When every simulation begins, true time.
    static let begin = Instant(seconds: 1_790_000_000)

    let seed: UInt64
    /// Microseconds.
    var length: Int64
    var encoders: [Encoder.Settings]
    var nodeCount: Int
    var faults: [Fault]

    var end: Instant { Self.begin + length }
    /// No fault reaches into the last part: what can be mended is mended by the end.
    var quietFrom: Instant { end - Self.quiet }

    private static let quiet = Int64(600) * Microseconds.perSecond

    /// Makes a scenario of so many hours; the seed decides everything else.
    init(seed: UInt64, hours: Double) {
        self.seed = seed
        var chance = SeededRandomNumberGenerator(seed: seed)
        length = Int64(hours * 3600) * Microseconds.perSecond
        let encoder = Encoder.Settings(&chance)
        encoders = [encoder]
        // A second source lists the same renditions.
        if chance.happens(in: 4) { encoders.append(encoder.backup(&chance)) }
        nodeCount = chance.happens(in: 5) ? 2 : 1
        faults = []
        let last = length - Self.quiet
        for _ in 0..<Int.random(in: 0...10, using: &chance) {
            faults.append(
                Fault(
                    within: last, encoders: encoders.count, nodes: nodeCount, target: encoder.duration,
                    &chance))
        }
        faults.sort { $0.span.begin < $1.span.begin }
        if encoders.count > 1, chance.happens(in: 2) { encoders[1].shareMedia(encoder, &chance) }
        addExtras()
        addDiscontinuities()
        addSteps()
        addStandaloneFaults()
        addSlowCatalogue()
        addCutTransfers()
    }

    /// Dates that jump are followed only where the channel says that they are right.
    var clock: ClockChoice { faults.contains { $0.kind == .dateJump } ? .source : .auto }

    /// Adds what has random numbers of its own, so that the rest of a seed's scenario stays the same.
    private mutating func addExtras() {
        var chance = SeededRandomNumberGenerator(seed: seed ^ 0xE7_4A5)
        for index in encoders.indices {
            encoders[index].keys = chance.happens(in: 3) ? Encoder.Keys(&chance) : nil
            encoders[index].hasMarkers = chance.happens(in: 3)
        }
        for _ in 0..<Int.random(in: 0...3, using: &chance) {
            faults.append(
                Fault(extraWithin: length - Self.quiet, encoders: encoders.count, &chance))
        }
    }

    /// Timestamps that restart; two packagers of the same media restart them together.
    private mutating func addDiscontinuities() {
        var chance = SeededRandomNumberGenerator(seed: seed ^ 0xD15C)
        for index in encoders.indices {
            let distance = [31, 97, 400].randomElement(using: &chance).map { $0 * Microseconds.perSecond }
            encoders[index].discontinuityDistance =
                encoders[index].sharesFirstMedia
                ? encoders[0].discontinuityDistance : chance.happens(in: 3) ? distance : nil
        }
    }

    /// Renditions of a source that are out of step.
    private mutating func addSteps() {
        var chance = SeededRandomNumberGenerator(seed: seed ^ 0x57E9)
        for index in encoders.indices where chance.happens(in: 2) {
            let (renditions, cut) = (encoders[index].renditions, encoders[index].duration / 2)
            for id in renditions {
                encoders[index].steps[id] = Encoder.Step(numbers: Int64.random(in: 0...2, using: &chance))
            }
            // Two packagers of the same media cut alike, and a discontinuity is at one place in them.
            guard encoders.count == 1, encoders[index].discontinuityDistance == nil, chance.happens(in: 3)
            else { continue }
            guard let last = renditions.last else { continue }
            encoders[index].steps[last]?.later = cut
        }
    }

    /// Adds faults with no other fault near them; they come last, so that the others keep their numbers.
    private mutating func addStandaloneFaults() {
        var chance = SeededRandomNumberGenerator(seed: seed ^ 0xCA_14)
        for kind in Fault.Kind.standalone {
            let fault = Fault(
                standalone: kind, within: length - Self.quiet, target: encoders[0].duration, &chance)
            let isWanted = chance.happens(in: 2)
            if isWanted, encoders.count == 1, encoders[0].allows(kind), isFaultFree(around: fault.span) {
                faults.append(fault)
            }
        }
    }

    /// A PostgreSQL that is slow, behind all others, so that those keep their numbers.
    private mutating func addSlowCatalogue() {
        var chance = SeededRandomNumberGenerator(seed: seed ^ 0x510)
        guard chance.happens(in: 3) else { return }
        for _ in 0..<Int.random(in: 1...2, using: &chance) {
            faults.append(Fault(slowWithin: length - Self.quiet, &chance))
        }
    }

    /// Transfers that are cut, behind all others; then the source is often away, or begins again.
    private mutating func addCutTransfers() {
        var chance = SeededRandomNumberGenerator(seed: seed ^ 0xC07)
        guard chance.happens(in: 3) else { return }
        for _ in 0..<Int.random(in: 1...2, using: &chance) {
            let cut = Fault(cutWithin: length - Self.quiet, encoders: encoders.count, &chance)
            let list = encoders[cut.place].duration * Int64(encoders[cut.place].listed)
            let away = Int64(Double(list) * Double.random(in: 0.1...3, using: &chance))
            let kinds: [Fault.Kind?] = [.sourceUnreachable, .restart, nil]
            faults.append(cut)
            guard let kind = kinds.randomElement(using: &chance) ?? nil else { continue }
            let end = min(cut.span.end + away, quietFrom)
            faults.append(
                Fault(kind: kind, place: cut.place, span: TimeWindow(begin: cut.span.end, end: end)))
        }
    }

    private func isFaultFree(around span: TimeWindow) -> Bool {
        let wide = TimeWindow(begin: span.begin - 200_000_000, end: span.end + 300_000_000)
        return !faults.contains { $0.span.overlaps(wide) }
    }

    /// Faults of a kind that are in force at an instant.
    func faults(_ kind: Fault.Kind, of place: Int, at instant: Instant) -> Bool {
        faults.contains { $0.kind == kind && $0.place == place && $0.span.contains(instant) }
    }

    func fault(_ kind: Fault.Kind, of place: Int, at instant: Instant) -> Fault? {
        faults.first { $0.kind == kind && $0.place == place && $0.span.contains(instant) }
    }
}

extension Scenario {
    /// Leaves out the other faults.
    mutating func keep(_ indices: some Sequence<Int>) {
        faults = indices.filter { faults.indices.contains($0) }.map { faults[$0] }
    }
}

extension Scenario: CustomStringConvertible {
    var description: String {
        let head =
            "scenario \(seed): \(Double(length) / 3.6e9) h, \(nodeCount) node\(nodeCount == 1 ? "" : "s")"
        let sources = encoders.enumerated().map { "  source \($0): \($1.description)" }
        let faults = faults.enumerated().map { "  fault \($0): \($1)" }
        return ([head] + sources + faults).joined(separator: "\n")
    }
}

/// Something that goes wrong for a while.
struct Fault: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        /// No connection to the source.
        case sourceUnreachable
        /// The packager stops, and begins at number 0 when the time is over.
        case restart
        /// The same, with EXT-X-ENDLIST meanwhile.
        case ended
        /// Numbers jump ahead by `amount`, dates go on.
        case jump
        /// Segments that are listed in the span answer 404.
        case missing
        /// Segments that are listed in the span are served in part for `amount` microseconds after listing.
        ///
        /// The part is two fifths of the segment, or it grows packet by packet.
        case partial
        /// Segments take `amount` microseconds longer.
        case slow
        /// Playlists are now and then `amount` microseconds old.
        case stale
        /// Answers of playlists take `amount` microseconds longer.
        case latePlaylists
        /// Each playlist lists the newest entry twice.
        case repeated
        /// The host's wall clock is off by `amount` microseconds.
        case clockStep
        /// PostgreSQL does not answer.
        case catalogueUnreachable
        /// Answers of PostgreSQL to commits are lost.
        case answersLost
        /// PostgreSQL executes and answers requests, each up to `amount` microseconds late; one of three
        /// answers is lost.
        case catalogueSlow
        /// The archive's disk is full.
        case diskFull
        /// The process is killed; it is started again when the time is over.
        case killed
        /// The process is frozen (SIGSTOP).
        case frozen
        /// The node has no connection to PostgreSQL.
        case nodeDisconnected
        /// Bodies of segments that are listed in the span are damaged, for good.
        case damaged
        /// The key server does not answer.
        case keyServerUnreachable
        /// The key server answers with keys of another channel.
        case wrongKey
        /// PostgreSQL refuses the facts of some segments that are listed in the span, for good.
        case refused
        /// Segments that are listed in the span are under EXT-X-GAP for their first `amount` microseconds.
        case gap
        /// The dates of the source jump ahead by `amount` microseconds when the span begins.
        case dateJump
        /// Transfers of segments that begin in the span are cut, each after another part of the segment.
        case cut

        /// The kinds that came later, and have a chance of their own.
        static let extra: [Kind] = [.damaged, .keyServerUnreachable, .wrongKey, .refused]
        /// Those that came still later, and are drawn only where nothing else is wrong.
        static let standalone: [Kind] = [.gap, .dateJump]
        /// Those that are drawn by themselves.
        private static let single: [Kind] = [.partial, .catalogueSlow, .cut]
        /// Those that came first.
        static let first = allCases.filter { !(extra + standalone + single).contains($0) }
    }

    var kind: Kind
    /// The encoder or the node, from zero.
    var place: Int
    var span: TimeWindow
    var amount: Int64 = 0
    /// Whether segments grow while they are served in part.
    var grows: Bool { kind == .partial && amount / Microseconds.perSecond % 2 == 0 }

    init(kind: Kind, place: Int, span: TimeWindow, amount: Int64 = 0) {
        (self.kind, self.place, self.span, self.amount) = (kind, place, span, amount)
    }

    init(
        within length: Int64, encoders: Int, nodes: Int, target: Int64,
        _ chance: inout SeededRandomNumberGenerator
    ) {
        kind = Kind.first.randomElement(using: &chance) ?? .sourceUnreachable
        place = 0
        switch kind {
        case .sourceUnreachable, .restart, .ended, .jump, .missing, .partial, .slow, .stale, .latePlaylists,
            .repeated:
            place = Int.random(in: 0..<encoders, using: &chance)
        case .clockStep, .diskFull, .killed, .frozen, .nodeDisconnected:
            place = Int.random(in: 0..<nodes, using: &chance)
        case .catalogueUnreachable, .answersLost, .catalogueSlow, .damaged, .keyServerUnreachable, .wrongKey,
            .refused, .gap,
            .dateJump, .cut:
            break
        }
        span = Self.span(within: length, &chance)
        let begin = span.begin - Scenario.begin
        switch kind {
        case .jump: amount = Int64.random(in: 2...5000, using: &chance)
        // Except for this, the scenarios of a seed stay the same.
        case .missing where begin % 3 != 0: (kind, amount) = (.partial, (1 + begin % 20) * 1_000_000)
        case .slow: amount = Int64.random(in: 0...3, using: &chance) * target
        case .stale: amount = Int64.random(in: 1...3, using: &chance) * target
        case .latePlaylists: amount = Int64.random(in: 0...14, using: &chance) * 1_000_000
        case .clockStep:
            let steps: [Int64] = [-30, 30, 3, -3, 28_800, -3600, 172_800, 691_200]
            amount = (steps.randomElement(using: &chance) ?? 30) * 1_000_000
            // A step that lasts for minutes is followed, as it must be.
            span.end = min(span.end, span.begin + 280_000_000)
        default: break
        }
    }

    init(extraWithin length: Int64, encoders: Int, _ chance: inout SeededRandomNumberGenerator) {
        kind = Kind.extra.randomElement(using: &chance) ?? .damaged
        place = kind == .refused ? 0 : Int.random(in: 0..<encoders, using: &chance)
        span = Self.span(within: length, &chance)
    }

    init(
        standalone kind: Kind, within length: Int64, target: Int64,
        _ chance: inout SeededRandomNumberGenerator
    ) {
        (self.kind, place) = (kind, 0)
        let latest = max(301_000_000, length)
        let begin = Scenario.begin + Int64.random(in: 300_000_000...latest, using: &chance)
        let count = Int64.random(in: 1...3, using: &chance)
        span = TimeWindow(begin: begin, end: begin + count * target)
        let jump: Int64 = [60, 3600, 172_800].randomElement(using: &chance) ?? 60
        amount =
            kind == .dateJump
            ? jump * Microseconds.perSecond : Int64.random(in: 1...8, using: &chance) * target
    }

    init(slowWithin length: Int64, _ chance: inout SeededRandomNumberGenerator) {
        (kind, place) = (.catalogueSlow, 0)
        span = Self.span(within: length, &chance)
        amount = [500_000, 2_000_000, 8_000_000, 20_000_000].randomElement(using: &chance) ?? 8_000_000
    }

    init(cutWithin length: Int64, encoders: Int, _ chance: inout SeededRandomNumberGenerator) {
        (kind, place) = (.cut, Int.random(in: 0..<encoders, using: &chance))
        span = Self.span(within: length, &chance)
    }

    /// Short and long ones are as likely.
    private static func span(within length: Int64, _ chance: inout SeededRandomNumberGenerator) -> TimeWindow
    {
        let lengths: [Double] = [2, 5, 12, 40, 130, 400]
        let seconds = lengths.randomElement(using: &chance) ?? 5
        let duration = Int64(seconds * Double.random(in: 0.7...1.4, using: &chance) * 1_000_000)
        let begin = Int64.random(in: 30_000_000...max(31_000_000, length - duration), using: &chance)
        return TimeWindow(begin: Scenario.begin + begin, end: Scenario.begin + begin + duration)
    }
}

extension Fault: CustomStringConvertible {
    var description: String {
        let from = Double(span.begin - Scenario.begin) / 1_000_000
        let until = Double(span.end - Scenario.begin) / 1_000_000
        let size = amount == 0 ? "" : " by \(amount)"
        return "\(kind.rawValue)[\(place)] \(from)…\(until) s\(size)"
    }
}

extension SeededRandomNumberGenerator {
    /// Once in so many times.
    mutating func happens(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}
