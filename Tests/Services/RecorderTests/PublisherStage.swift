import Catalogue
import Concurrency
import Timeline

@testable import Recorder

let seconds: Int64 = 1_000_000

/// An instant by its seconds from an even beginning.
func at(_ value: Double) -> Instant {
    Instant(microseconds: 1_700_000_000 * seconds + Int64((value * 1_000_000).rounded()))
}

private let beginning = SteadyInstant.now

/// A moment of the steady clock by its seconds from the beginning.
func moment(_ value: Double) -> SteadyInstant {
    beginning + .seconds(value)
}

func video(_ index: Int) -> RenditionID { RenditionID(kind: .video, index: index) }
let audio = RenditionID(kind: .audio, index: 0)

/// A publisher with renditions of six-second segments, and what it decided so far.
///
/// Times are seconds.
struct PublisherStage {
    var publisher: Publisher
    var segments: [DecidedSegment] = []
    var discontinuityStarts: [DiscontinuityStart] = []
    var losses: [Loss] = []
    var lost: [PlacedSegment] = []
    /// The time of the last event.
    var now = 0.0
    /// Facts that one call of `advance` decides.
    var limit = Int.max

    init(_ renditions: RenditionID..., publishedHead: PublishedHead? = nil, target: Int = 6) {
        publisher = Publisher(publishedHead: publishedHead ?? .unused)
        publisher.sourceTarget(target)
        for rendition in renditions { publisher.open(RenditionQueue(rendition: rendition, now: moment(0))) }
    }

    static func identity(_ rendition: RenditionID, _ start: Double) -> SegmentIdentity {
        SegmentIdentity(rendition: rendition, run: 1, number: Int64(start * 10))
    }

    static func fact(
        _ rendition: RenditionID, _ start: Double, lasting: Double = 6, initName: String? = nil,
    ) -> SegmentFact {
        var state = SegmentFormat(container: .fragmentedMP4, tracks: "video:h264")
        state.initName = initName
        return SegmentFact(
            channel: channel, identity: identity(rendition, start), start: at(start),
            duration: Int64(lasting * 1_000_000), format: state, storedBytes: 1, plainBytes: 1,
            arrived: at(start),
            digest: [], fence: 1)
    }

    static func lost(_ rendition: RenditionID, _ start: Double) -> PlacedSegment {
        PlacedSegment(
            identity: identity(rendition, start), start: at(start), duration: 6 * RecorderTests.seconds)
    }

    mutating func list(
        _ rendition: RenditionID, _ starts: Double..., lasting: Double = 6,
        boundary: DiscontinuityCause? = nil,
    ) {
        let segments = starts.enumerated().map { place, start in
            PendingSegment(
                PlacedSegment(
                    identity: Self.identity(rendition, start), start: at(start),
                    duration: Int64(lasting * 1_000_000), boundary: place == 0 ? boundary : nil))
        }
        publisher.listed(segments, of: rendition, now: moment(now))
    }

    mutating func store(
        _ rendition: RenditionID, _ starts: Double..., lasting: Double = 6, initName: String? = nil,
    ) {
        for start in starts {
            publisher.stored(
                Self.fact(rendition, start, lasting: lasting, initName: initName), now: moment(now))
        }
    }

    /// Lists and stores at once.
    mutating func record(
        _ rendition: RenditionID, _ starts: Double..., lasting: Double = 6,
        boundary: DiscontinuityCause? = nil,
        initName: String? = nil,
    ) {
        for (place, start) in starts.enumerated() {
            list(rendition, start, lasting: lasting, boundary: place == 0 ? boundary : nil)
            store(rendition, start, lasting: lasting, initName: initName)
        }
    }

    mutating func lose(_ rendition: RenditionID, _ start: Double, _ reason: GapReason = .sourceGap) {
        publisher.lost(Self.lost(rendition, start), reason: reason, note: "lost")
    }

    mutating func advance(to time: Double) {
        now = time
        let decisions = publisher.advance(now: moment(time), limit: limit)
        segments += decisions.segments
        discontinuityStarts += decisions.discontinuityStarts
        losses += decisions.losses
        lost += decisions.lost
    }

    /// Lets time pass in small steps, as the committing loop does.
    mutating func pass(until time: Double) {
        while now < time { advance(to: min(now + 0.2, time)) }
    }

    /// What is published of a rendition: start in seconds, number and epoch.
    func published(_ rendition: RenditionID) -> [Published] {
        segments.filter { $0.fact.identity.rendition == rendition }.compactMap { segment in
            segment.number.map {
                Published(
                    start: Self.seconds(segment.fact.start), number: $0,
                    sequence: segment.discontinuitySequence ?? -1)
            }
        }
    }

    /// Starts of what went to the archive only.
    func archived(_ rendition: RenditionID) -> [Double] {
        segments.filter { $0.fact.identity.rendition == rendition && $0.number == nil }
            .map { Self.seconds($0.fact.start) }
    }

    var watermark: Double { Self.seconds(publisher.watermark) }

    static func seconds(_ instant: Instant) -> Double {
        Double(instant - at(0)) / 1_000_000
    }

    private static let channel = ChannelID("one") ?? { preconditionFailure("a valid id") }()
}

struct Published: Equatable, CustomStringConvertible {
    var start: Double
    var number: Int64
    var sequence: Int32

    init(start: Double, number: Int64, sequence: Int32) {
        (self.start, self.number, self.sequence) = (start, number, sequence)
    }

    init(_ start: Double, _ number: Int64, _ sequence: Int32) {
        self.init(start: start, number: number, sequence: sequence)
    }

    var description: String { "\(start)#\(number)/\(sequence)" }
}

extension PublishedHead {
    static let unused = PublishedHead(
        discontinuitySequence: 0, end: Instant(microseconds: 0), watermark: Instant(microseconds: 0),
        expiredBefore: Instant(microseconds: 0), targetSeconds: 0)
}
