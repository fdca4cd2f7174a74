import Testing

@testable import Recorder

@Suite("Poll pace")
struct PollIntervalTests {
    /// RFC 8216bis §6.3.4, within half a second and ten seconds.
    @Test(
        "A changed list is asked for after its last segment, an unchanged one after half a target duration",
        arguments: [
            (true, 6, 6.0, 6.0), (true, 4, 6, 4), (false, 6, 6, 3), (true, 20, 20, 10), (false, 30, 30, 10),
            (false, 1, 0.5, 0.5), (true, 0, 6, 0.5),
        ])
    func afterLoad(changed: Bool, last: Int64, target: Double, expected: Double) {
        let pause = PollInterval.afterLoad(
            changed: changed, lastDuration: last * seconds, target: Int64(target * 1e6),
            playlistLength: 600 * seconds)
        #expect(pause == Int64(expected * 1e6))
    }

    @Test(
        "A short list is asked for at half of its length at the latest",
        arguments: [(2, 2, 1.0), (4, 12, 4), (6, 6, 3), (4, 6, 3)])
    func shortList(last: Int64, length: Int64, expected: Double) {
        let pause = PollInterval.afterLoad(
            changed: true, lastDuration: last * seconds, target: last * seconds,
            playlistLength: length * seconds)
        #expect(pause == Int64(expected * 1e6))
    }

    @Test(
        "Failures are followed by growing pauses, the first soon, none beyond half a minute",
        arguments: [1, 4, 6, 60])
    func afterFailure(target: Int64) {
        let pauses = (1...200).map {
            PollInterval.afterFailure(
                $0, target: target * seconds, playlistLength: 600 * seconds, lasting: .seconds(601))
        }
        #expect(pauses[0] <= 4 * seconds)
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(pauses.last == 30 * seconds)
    }

    @Test(
        "A source that fails or has ended is asked every target duration for ten minutes, and never later than after a third of its playlist, or five seconds if that is not known",
        arguments: [
            (6, 60, 30.0, 6.0), (6, 60, 601, 20), (6, 12, 30, 4), (6, 12, 6000, 4), (2, 6, 599, 2),
            (60, 600, 30, 30), (4, 0, 599, 4), (4, 0, 601, 5), (1, 0, 6000, 5),
            (60, 0, 30, 5), (1, 1, 30, 0.5),
        ])
    func longest(target: Int64, length: Int64, lasting: Double, expected: Double) {
        for failures in [20, Int.max] {
            let pause = PollInterval.afterFailure(
                failures, target: target * seconds, playlistLength: length * seconds,
                lasting: .seconds(lasting))
            #expect(pause == Int64(expected * 1e6))
            #expect(PollInterval.shortened(pause, chance: 1) <= pause)
        }
        let end = PollInterval.afterEnd(
            target: target * seconds, playlistLength: length * seconds, lasting: .seconds(lasting))
        #expect(end == Int64(expected * 1e6))
    }

    @Test(
        "Chance makes a pause that must not become longer up to 5 % shorter",
        arguments: [(-1.0, 9.5), (0, 10), (0.5, 9.75), (1, 9.5), (9, 9.5), (-9, 9.5)])
    func shortened(chance: Double, expected: Double) {
        #expect(PollInterval.shortened(10 * seconds, chance: chance) == Int64(expected * 1e6))
    }

    @Test(
        "Chance makes a pause up to 5 % longer or shorter",
        arguments: [(-1.0, 9.5), (0, 10), (0.5, 10.25), (1, 10.5), (9, 10.5), (-9, 9.5)])
    func jitter(chance: Double, expected: Double) {
        #expect(PollInterval.jittered(10 * seconds, chance: chance) == Int64(expected * 1e6))
    }
}
