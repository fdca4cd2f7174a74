import HLS
import Testing
import Timeline

@testable import Recorder

/// Numbers of two renditions say nothing of each other (RFC 8216bis §6.2.4).
@Suite("Renditions without dates that count otherwise")
struct OutOfStepTests {
    /// The starts of two renditions' segments, by what their media are.
    private struct Starts {
        var leading: [Int: Instant] = [:]
        var other: [Int: Instant] = [:]
    }

    /// Records ten playlists of two renditions, of six-second segments of the same media.
    ///
    /// Those of the second one have numbers that are lower by `shift`, begin `cut` seconds later and arrive
    /// `delay` seconds later; below 0 that is how much later those of the first one arrive.
    private func record(shift: Int, delay: Double, cut: Double = 0, isStamped: Bool = true) -> Starts {
        var progress = ChannelProgress(choice: .auto)
        var generator = SeededRandomNumberGenerator(seed: 1)
        _ = progress.open([video(0), video(1)].map { RenditionDescription(id: $0) })
        var starts = Starts()
        for turn in 0..<10 {
            let media = (10 + turn)...(14 + turn)
            let both = [(video(0), 0, max(-delay, 0), 0), (video(1), shift, max(delay, 0), cut)]
            for (id, shift, delay, cut) in both.sorted(by: { $0.2 < $1.2 }) {
                let listing = progress.playlistArrived(
                    list((media.lowerBound - shift)...(media.upperBound - shift)), of: id,
                    at: arrived(1000 + Double(turn) * 6 + delay), gap: nil, &generator)
                for segment in listing.segments {
                    let place = Int(segment.identity.number) + shift
                    if shift == 0 && id == video(0) {
                        starts.leading[place] = segment.placed.start
                    } else {
                        starts.other[place] = segment.placed.start
                    }
                    var fact = PublisherStage.fact(id, 0)
                    (fact.identity, fact.start) = (segment.identity, segment.placed.start)
                    fact.duration = segment.placed.duration
                    fact.firstTimestamp = isStamped ? Int64((Double(place) * 6 + cut) * 90_000) : nil
                    progress.stored(fact)
                }
            }
        }
        return starts
    }

    @Test("lie where the same media lie, and not where a number does", arguments: [-2, -1, 0, 1, 2])
    func sameMedia(shift: Int) {
        let starts = record(shift: shift, delay: 0)
        #expect(starts.other == starts.leading && starts.leading.count == 14)
    }

    @Test("come nearer by timestamps where they arrive later", arguments: [-2, -1, 1, 2])
    func later(shift: Int) {
        let starts = record(shift: shift, delay: 2)
        #expect(starts.other[10] == starts.leading[10].map { $0 + 2 * seconds })
        for place in 18...23 { #expect(starts.other[place] == starts.leading[place]) }
    }

    @Test("come nearer by timestamps where they always arrive first", arguments: [-2, -1, 1, 2])
    func first(shift: Int) {
        // What the leading one has not listed yet may have another length: half a segment is left.
        let starts = record(shift: shift, delay: -4)
        #expect(starts.other[10] == starts.leading[10].map { $0 - 4 * seconds })
        for (place, start) in starts.other where (18...23).contains(place) {
            #expect(starts.leading[place].map { ($0 - start).magnitude <= 3_000_000 } == true)
        }
    }

    @Test("come to lie where their media begin, though they are cut elsewhere", arguments: [-1, 0, 1])
    func cutElsewhere(shift: Int) {
        let starts = record(shift: shift, delay: 5, cut: 3)
        for place in 18...23 {
            #expect(starts.other[place] == starts.leading[place].map { $0 + 3 * seconds })
        }
    }

    @Test("lie by arrival without timestamps, unless that is within half a segment of the number's start")
    func unstamped() {
        for shift in [-2, -1, 1, 2] {
            let starts = record(shift: shift, delay: 0, isStamped: false)
            #expect(starts.other == starts.leading)
        }
        let later = record(shift: 0, delay: 2, isStamped: false)
        #expect(later.other == later.leading)
    }
}
