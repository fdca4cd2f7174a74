@testable import Simulator

/// A scenario that failed once, with those of its faults that it took.
struct FoundScenario: Sendable {
    var seed: UInt64
    var hours = 3.0
    var faults: [Int]
    /// Whether its sources have discontinuities, as the seed says; those found earlier had none.
    var hasDiscontinuities = false
    /// Whether its renditions are out of step, as the seed says; those found earlier had none that were.
    var isOutOfStep = false

    var scenario: Scenario {
        var scenario = Scenario(seed: seed, hours: hours)
        scenario.keep(faults)
        for index in scenario.encoders.indices {
            if !hasDiscontinuities { scenario.encoders[index].discontinuityDistance = nil }
            if !isOutOfStep { scenario.encoders[index].steps = [:] }
        }
        return scenario
    }

    static let all = [
        // EXTINF doubled, dates in whole seconds: the timeline was ahead of the dates when the source began
        // again, and its first segment was taken for recorded.
        FoundScenario(seed: 700_071, faults: [0]),
        // A node that was frozen began a run while the other one owned the channel.
        FoundScenario(seed: 6, hours: 1, faults: [1, 2, 3, 4]),
        // The first playlist after an end was not believed at once, and the gap was said to be a stall.
        FoundScenario(seed: 3, hours: 1, faults: [5]),
        // Numbers jumped so far that they counted as a new beginning, and the gap was said to be a stall.
        FoundScenario(seed: 31_082, hours: 2, faults: [6]),
        // The key server answered with wrong keys for minutes, and the source deleted segments before the
        // last try was due that keeps them as they are.
        FoundScenario(seed: 154, hours: 1, faults: [4]),
        // A playlist that was taken up to a step of its dates was placed as if nothing stood behind it.
        FoundScenario(seed: 205, hours: 1, faults: [1]),
        // The process was frozen while the source stopped: dates lay behind arrival, as the numbers did.
        FoundScenario(seed: 182, hours: 1, faults: [3, 6]),
        // EXTINF halved in a playlist of three with dates: two lengths that agree show it.
        FoundScenario(seed: 8_200_033, faults: [0]),
        // EXTINF doubled: what was measured of a source was not used when it was back.
        FoundScenario(seed: 177, hours: 1, faults: [4, 5, 8]),
        // A packager ended and began again at once, and the first segments of its short playlist were missed.
        FoundScenario(seed: 910_093, faults: [0]),
        // What the full disk had refused was gone at the source when there was room: it was called missing.
        FoundScenario(seed: 8_200_019, faults: [5]),
        // Another source was asked for what the full disk refused, and both were kept where they overlap.
        FoundScenario(seed: 191, hours: 1, faults: [4]),
        // EXTINF doubled, a long playlist, and a process that was killed: the next one did not know it yet.
        FoundScenario(seed: 9_300_020, faults: [1]),
        // EXTINF halved, dates in whole seconds, short segments: dates one second apart confirmed EXTINF.
        FoundScenario(seed: 9_340_001, hours: 1, faults: []),
        // EXTINF halved or doubled of a source that was used for the first time, also with damaged media.
        FoundScenario(seed: 9_300_005, faults: [1, 9]),
        FoundScenario(seed: 9_340_016, hours: 1, faults: [0]),
        FoundScenario(seed: 9_340_040, faults: [1, 2]),
        // A former owner's facts came late, and lay over repairs or the first segments of the next owner.
        FoundScenario(seed: 9_310_023, hours: 1, faults: [1, 4, 5]),
        FoundScenario(seed: 9_330_019, hours: 1, faults: [0, 5, 6]),
        FoundScenario(seed: 9_340_054, faults: [1, 2, 3, 7]),
        // EXTINF doubled, names that come again: the first segments counted as parts, and their bytes could
        // not tell that numbers had begun again.
        FoundScenario(seed: 9_600_783, hours: 1, faults: [0]),
        // Killed while the disk was full: the next process did not fetch what was listed last.
        FoundScenario(seed: 9_600_778, hours: 1, faults: [5, 6]),
        // EXTINF halved in a playlist of three with dates, damaged media and a new process: each segment
        // waited for the one before it, and the dates of what was left did not show EXTINF to be wrong.
        FoundScenario(seed: 9_610_266, hours: 1, faults: [0, 2]),
        // Numbers began again far below without dates, and the first segment of three was missed.
        FoundScenario(seed: 9_610_568, hours: 1, faults: [2]),
        // EXTINF doubled: two segments of the first playlist told it, and three were waited for.
        FoundScenario(seed: 9_600_426, hours: 1, faults: []),
        // EXTINF 0 or always the target, and damaged media, which nothing measures: the timeline ran away.
        FoundScenario(seed: 9_600_017, hours: 1, faults: [2]),
        FoundScenario(seed: 9_610_395, hours: 1, faults: [3]),
        // EXTINF 0, and a process that was killed: of what is held the next one did not learn the length.
        FoundScenario(seed: 9_600_435, hours: 1, faults: [1, 5, 9]),
        // Many damaged segments ended the tries for those that came later, in part.
        FoundScenario(seed: 9_610_416, hours: 1, faults: [9, 10]),
        // Old playlists of a source without dates: what they listed late lay behind a false hole.
        FoundScenario(seed: 9_610_199, hours: 1, faults: [0, 2, 4]),
        // Right dates in answers that took twelve seconds were not believed after a change of source.
        FoundScenario(seed: 9_600_636, hours: 1, faults: [3]),
        // A source without EXTINF was back, and sixty segments that were held were placed by their mean.
        FoundScenario(seed: 9_600_585, hours: 1, faults: [0, 1, 3, 5, 7]),
        // A process began while a source without dates stood still: what it listed seemed to be new.
        FoundScenario(seed: 9_800_071, hours: 1, faults: [2, 3]),
        // EXTINF in whole seconds, and eighty segments that nothing measured under a wrong key.
        FoundScenario(seed: 9_850_134, hours: 1, faults: [2, 10]),
        // A packager ended soon after a restart, and its next beginning was taken for another origin's.
        FoundScenario(seed: 9_850_343, hours: 1, faults: [0, 2]),
        // Numbers below a thousand began again: three targets were waited for, and the first of three
        // segments was gone.
        FoundScenario(seed: 9_900_065, faults: [4]),
        // The newest entry stood twice in the playlist, with EXT-X-DISCONTINUITY before both.
        FoundScenario(seed: 20_000_022, hours: 1, faults: [0], hasDiscontinuities: true),
        FoundScenario(seed: 20_000_083, hours: 1, faults: [3], hasDiscontinuities: true),
        // Numbers jumped far ahead while dates went on: two targets were waited for, and the first of three
        // segments was gone.
        FoundScenario(seed: 20_000_505, hours: 1, faults: [1]),
        // A source was back with its last playlist of minutes ago: its latency was taken from that.
        FoundScenario(seed: 31_000_096, hours: 1, faults: [4, 7], hasDiscontinuities: true),
        // Names followed numbers that had begun again, and late playlists of three did not overlap: those
        // with the numbers of the run before were taken for its own.
        FoundScenario(seed: 32_000_068, faults: [0, 1], hasDiscontinuities: true),
        // A source was back with its last playlist of minutes ago, and its dates were in a wrong zone: none
        // fitted any more, and what it listed was recorded again by arrival.
        FoundScenario(seed: 31_000_102, hours: 1, faults: [2, 3], hasDiscontinuities: true),
        // Another source listed what lay before a discontinuity, with another latency: media before it were
        // not compared, and twenty-six seconds were recorded again.
        FoundScenario(seed: 33_000_198, hours: 1, faults: [1], hasDiscontinuities: true),
        // A hole was filled with a segment that fitted no other, and the next hole with the same one.
        FoundScenario(seed: 20_261_318, faults: [0, 1], hasDiscontinuities: true),
        // A process began when the source had ended, and the hole that its predecessor's death had left was
        // said to come from that end.
        FoundScenario(
            seed: 1_036_736_827, faults: [3, 4], hasDiscontinuities: true, isOutOfStep: true),
        // EXTINF doubled, dates in whole seconds, three segments with a discontinuity: a single pair of dates
        // said that segments of two seconds last one.
        FoundScenario(seed: 5_581_286, faults: [], hasDiscontinuities: true, isOutOfStep: true),
        // A source of sixty segments without EXTINF was back: the mean of ten was too short, and twenty
        // seconds that no one had recorded counted as held.
        FoundScenario(seed: 5_550_343, faults: [1], hasDiscontinuities: true, isOutOfStep: true),
        // A source ended and counted from the beginning, as it had done long before: its names were taken for
        // those of an old playlist.
        FoundScenario(seed: 5_560_864, faults: [1, 2, 3], hasDiscontinuities: true, isOutOfStep: true),
        FoundScenario(seed: 5_560_771, faults: [4, 5, 8], hasDiscontinuities: true, isOutOfStep: true),
        // Numbers jumped by hundreds, or began again, while dates went on: two targets were waited for, and
        // the first of three segments was gone.
        FoundScenario(seed: 5_560_783, faults: [0, 1, 4, 5], hasDiscontinuities: true, isOutOfStep: true),
        FoundScenario(seed: 5_591_192, faults: [0], hasDiscontinuities: true, isOutOfStep: true),
        // A rendition that listed each segment before the leading one did was a segment off from the start.
        FoundScenario(seed: 5_580_260, faults: [], hasDiscontinuities: true, isOutOfStep: true),
        // Another source with EXTINF halved began with a discontinuity: EXTINF was believed, and half a
        // minute that no one had recorded counted as held.
        FoundScenario(seed: 5_570_503, faults: [2, 3], hasDiscontinuities: true, isOutOfStep: true),
        // Killed while the disk was full: what the next process fetched late had no discontinuities.
        FoundScenario(seed: 5_560_245, faults: [4, 5], hasDiscontinuities: true, isOutOfStep: true),
        // All of the first playlist after a jump of numbers was held: the gap behind it was called a stall.
        FoundScenario(seed: 5_581_075, faults: [0, 4], hasDiscontinuities: true, isOutOfStep: true),
        // A process was killed while the disk was full: the next one called the gap a jump of the source.
        FoundScenario(seed: 5_590_553, faults: [1, 2], hasDiscontinuities: true, isOutOfStep: true),
        // A frozen process began a run when it went on, and lost the channel. When it owned it again, its
        // unfinished segments put its run behind the one that was recorded since: fifty were held twice.
        FoundScenario(seed: 5_600_021, faults: [5, 6, 8], hasDiscontinuities: true, isOutOfStep: true),
        // EXTINF of the target duration, and a process that was away for longer than sixty segments: one
        // length told all of them, and the timeline was half a minute off.
        FoundScenario(seed: 7_600_673, faults: [0], hasDiscontinuities: true, isOutOfStep: true),
        // A source was back with the playlist at which it had stopped, and then began again: its latency,
        // which was known, was taken from that.
        FoundScenario(seed: 7_600_689, faults: [3, 4], hasDiscontinuities: true, isOutOfStep: true),
        // Two nodes, and PostgreSQL was away: the next owner placed what came behind missing numbers by
        // arrival, over the former owner's last segment.
        FoundScenario(seed: 11_600_531, faults: [2], hasDiscontinuities: true, isOutOfStep: true),
        // Two nodes recorded a source that began again: the same segment stood in both of their runs.
        FoundScenario(seed: 91_200_746, faults: [5, 6], hasDiscontinuities: true, isOutOfStep: true),
        // A rendition that was loaded later than the leading one stepped alone, while the disk was full.
        FoundScenario(seed: 20_261_602, faults: [1, 3, 5], hasDiscontinuities: true, isOutOfStep: true),
        // A source began again twice within a segment: the same number, and dates less than a segment apart.
        FoundScenario(seed: 5_600_590, faults: [3, 4], hasDiscontinuities: true, isOutOfStep: true),
        // Renditions that begin to count at 2 waited for a third target duration, until a segment was gone.
        FoundScenario(seed: 91_300_087, faults: [0, 5], hasDiscontinuities: true, isOutOfStep: true),
        // A rendition always came before the leading one: their timestamps were never compared.
        FoundScenario(seed: 91_400_059, faults: [0], hasDiscontinuities: true, isOutOfStep: true),
        // Playlists fourteen seconds late: twelve seconds off behind missing numbers.
        FoundScenario(seed: 30_000_607, faults: [6], hasDiscontinuities: true, isOutOfStep: true),
        // Damaged segments were tried again while an encoder that had begun again overwrote their names one
        // by one: its bytes came under the older numbers, before it listed them.
        FoundScenario(
            seed: 1_795_729_095, faults: [0, 1, 2, 3, 4, 8], hasDiscontinuities: true, isOutOfStep: true),
        // Segments that grow, with a discontinuity behind some of them, or EXTINF of whole targets or none:
        // nothing told how long they should be, and their beginnings were kept.
        FoundScenario(
            seed: 301_738, hours: 1, faults: [1, 2], hasDiscontinuities: true, isOutOfStep: true),
        FoundScenario(
            seed: 302_072, hours: 1, faults: [0, 3], hasDiscontinuities: true, isOutOfStep: true),
        FoundScenario(seed: 910_302, faults: [0, 3, 7, 9], hasDiscontinuities: true, isOutOfStep: true),
        FoundScenario(seed: 1_200_415, faults: [4], hasDiscontinuities: true, isOutOfStep: true),
        FoundScenario(seed: 1_500_221, faults: [1], hasDiscontinuities: true, isOutOfStep: true),
        // EXTINF halved, and segments that grow: only the next one told how long a segment should be.
        FoundScenario(seed: 910_497, faults: [6], hasDiscontinuities: true, isOutOfStep: true),
        // More segments grew at a time than were asked for at once: the others were kept as they were.
        FoundScenario(seed: 1_200_437, faults: [1], hasDiscontinuities: true, isOutOfStep: true),
        // A process began while the disk was full, and it refused all that was listed since its predecessor
        // was killed: the disk was the reason, and not that no recorder ran.
        FoundScenario(
            seed: 302_614, hours: 1, faults: [0, 1], hasDiscontinuities: true, isOutOfStep: true),
        // A packager of growing segments ended and began again with a single one, which was compared with
        // itself: the process ended.
        FoundScenario(
            seed: 3_100_313, hours: 1, faults: [1, 2], hasDiscontinuities: true, isOutOfStep: true),
        // No EXTINF, and a process that was killed while the disk was full: of the lengths the next one knew
        // nothing, and the timeline was half a minute off.
        FoundScenario(
            seed: 2_401_511, hours: 1, faults: [0, 2, 6, 7], hasDiscontinuities: true, isOutOfStep: true),
        // Two sources were cut otherwise since one of them had ended: a damaged segment of one gave way to a
        // segment of the other that reaches into the next one.
        FoundScenario(
            seed: 2_401_030, hours: 1, faults: [1, 5], hasDiscontinuities: true, isOutOfStep: true),
        // A process began when the source had begun again and ended: the hole before that was said to come
        // from the end.
        FoundScenario(
            seed: 2_400_140, hours: 1, faults: [3, 4, 5, 6], hasDiscontinuities: true, isOutOfStep: true),
        // Numbers that begin at 2 waited for a third target duration, until a segment was gone.
        FoundScenario(seed: 2_500_325, faults: [1], hasDiscontinuities: true, isOutOfStep: true),
        // A node that had just taken over asked for the lease again, and the answer was lost: it began a run
        // without what the node before it had recorded.
        FoundScenario(
            seed: 300_018, hours: 1, faults: [6, 7], hasDiscontinuities: true, isOutOfStep: true),
        // A packager that had ended used its names again: three of them were fetched under the older numbers,
        // each before the playlist that listed it.
        FoundScenario(
            seed: 2_400_831, hours: 1, faults: [6, 7, 8], hasDiscontinuities: true, isOutOfStep: true),
        // A node that had stored segments without their key died: the one that took over did not fetch them
        // again, though they were listed.
        FoundScenario(
            seed: 3_400_436, hours: 1, faults: [3, 8], hasDiscontinuities: true, isOutOfStep: true),
    ]
}
