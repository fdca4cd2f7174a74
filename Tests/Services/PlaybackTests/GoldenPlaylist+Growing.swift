import Catalogue
import TestSupport
import Timeline

@testable import Playback

/// Answers that grow.
extension GoldenPlaylist {
    static let growing: [GoldenPlaylist] = [
        // API: `mode=event` only appends (RFC 8216bis §4.4.3.5) and is read from its begin: EXT-X-START.
        .media("event-growing") { try event.published(until: 8).event(0, 12) },
        // API: EXT-X-ENDLIST once everything up to the end is published.
        .media("event-ended") { try event.published(until: 12).event(0, 12) },
        // A growing playlist that may get EXT-X-GAP has version 8 from the start.
        .media("event-gaps") {
            try RecordedFixture(run(2, from: 0, number: 40)).published(until: 8).event(0, 100) {
                $0.writesGaps = true
            }
        },
        // RFC 8216bis §4.4.3.5: not EVENT when segments are removed; §4.4.3.2: each of them is counted.
        .media("event-expired-begin") {
            try RecordedFixture(run(5, from: 0, number: 40)).expiring(before: 4).published(until: 20)
                .event(0, 100)
        },
        // API: the longer of six segments and 30 s. RFC 8216bis §4.4.3.2, §4.4.3.3, §4.4.3.5: both sequence
        // numbers are those of the channel, and there is no type.
        .media("live") { live.published(until: 80).sliding(now: 84) },
        // API: `dvr=40` makes it that long.
        .media("live-dvr") { live.published(until: 80).sliding(length: 40, now: 84) },
        // API: `delay=20` is the same that much later.
        .media("live-delay") { live.published(until: 80).sliding(delay: 20, now: 84) },
        // RFC 8216bis §4.4.3.3: the number counts tags that were removed, not those that are listed.
        .media("live-discontinuity") {
            RecordedFixture(
                run(10, from: 0, number: 10, sequence: 3) + run(3, from: 60, number: 20, sequence: 4)
            ).published(until: 72).sliding(now: 76)
        },
    ]

    private static var event: RecordedFixture {
        RecordedFixture(run(3, from: 0, number: 40, sequence: 5))
    }

    private static var live: RecordedFixture {
        RecordedFixture(run(20, from: 0, number: 1_000, sequence: 5))
    }
}
