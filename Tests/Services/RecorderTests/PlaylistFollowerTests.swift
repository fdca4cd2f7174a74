import HLS
import Testing
import Timeline

@testable import Recorder

/// A follower and its lists, taken as the recorder does.
///
/// Times are seconds, the target duration is six.
private struct FollowerStage {
    var follower = PlaylistFollower()

    /// Judges a list, and takes it when its entries are.
    mutating func see(_ list: MediaPlaylist, at time: Double) -> PlaylistFollower.Finding {
        let finding = follower.judge(list, now: moment(time))
        switch finding {
        case .new, .nothingNew: follower.take(list, now: moment(time))
        case .restart:
            follower.reset()
            follower.take(list, now: moment(time))
        case .stale, .undecided: break
        }
        return finding
    }

    /// A follower that has taken lists up to this one at time zero.
    init(after lists: MediaPlaylist...) {
        for list in lists { _ = see(list, at: 0) }
    }
}

extension PlaylistFollower.Finding {
    fileprivate var isRestart: Bool {
        if case .restart = self { return true }
        return false
    }
}

@Suite("Playlist follower")
struct PlaylistFollowerTests {
    // MARK: Going on

    @Test("The first list is taken whole")
    func first() {
        var stage = FollowerStage()
        #expect(stage.see(list(10...20), at: 0) == .new(from: 0, missing: 0))
        #expect(stage.follower.highest == 20)
    }

    @Test("Of a first list that is very long, the newest are taken")
    func backlog() {
        var stage = FollowerStage()
        #expect(stage.see(list(0...4999), at: 0) == .new(from: 5000 - Limits.backlogSegments, missing: 0))
    }

    @Test("A list that goes on: what lies behind the highest number is new", arguments: 1...5)
    func advance(by step: Int) {
        var stage = FollowerStage(after: list(10...15))
        #expect(stage.see(list(10 + step...15 + step), at: 6) == .new(from: 6 - step, missing: 0))
        #expect(stage.follower.highest == Int64(15 + step))
    }

    @Test("The same list once more has nothing new, and a shorter one that ends alike neither")
    func nothingNew() {
        var stage = FollowerStage(after: list(10...15))
        #expect(stage.see(list(10...15), at: 3) == .nothingNew)
        #expect(stage.see(list(13...15), at: 6) == .nothingNew)
    }

    @Test("A list that jumped ahead says how many are missing", arguments: [1, 10, 900])
    func jumpedAhead(missing: Int) {
        var stage = FollowerStage(after: list(10...15))
        #expect(
            stage.see(list(16 + missing...21 + missing), at: Double(missing * 6))
                == .new(from: 0, missing: Int64(missing)))
    }

    @Test("The next number without an overlap is no loss")
    func noOverlap() {
        var stage = FollowerStage(after: list(10...15))
        #expect(stage.see(list(16...21), at: 36) == .new(from: 0, missing: 0))
    }

    @Test("A huge jump is another numbering, once the old one has stood still")
    func hugeJump() {
        var stage = FollowerStage(after: list(10...15))
        #expect(stage.see(list(1_700_000...1_700_005), at: 6) == .stale)
        #expect(stage.see(list(1_700_001...1_700_006), at: 12).isRestart)
        #expect(stage.see(list(1_700_002...1_700_007), at: 18) == .new(from: 5, missing: 0))
    }

    @Test("A huge jump is another numbering at once where its dates go on from the newest known one")
    func hugeJumpByDates() {
        // At 96 seconds the next segment begins; a second origin lists what is known, or its clock is ahead.
        for (begin, isAtOnce) in [(96.0, true), (92, false), (102, true), (110, false), (3690, false)] {
            var stage = FollowerStage(after: list(10...15, date: { Double($0) * 6 }))
            let next = list(1_700_000...1_700_000, date: { _ in begin })
            #expect(stage.see(next, at: 6).isRestart == isAtOnce)
        }
    }

    @Test(
        "Two origins whose numbers lie close together: numbers that jump without their dates are passed over")
    func secondOriginAhead() {
        var stage = FollowerStage(after: list(10...15, date: { Double($0) * 6 }))
        for step in 1...20 {
            let other = list(500 + step...505 + step, date: { Double($0 - 490) * 6 })
            #expect(stage.see(other, at: Double(step * 6 - 3)) == .stale)
            let own = list(10 + step...15 + step, date: { Double($0) * 6 })
            #expect(stage.see(own, at: Double(step * 6)) == .new(from: 5, missing: 0))
        }
    }

    // MARK: Stale lists

    @Test("A stale node's list is passed over, then numbers go on", arguments: [true, false])
    func stale(isDated: Bool) {
        let date: ((Int) -> Double)? = isDated ? { Double($0) * 6 } : nil
        var stage = FollowerStage(after: list(10...20, date: date))
        #expect(stage.see(list(8...18, date: date), at: 3) == .stale)
        #expect(stage.see(list(9...19, date: date), at: 6) == .stale)
        #expect(stage.see(list(11...21, date: date), at: 9) == .new(from: 10, missing: 0))
    }

    @Test("A node that is stale by more than a list is known from the lists before")
    func staleByMore() {
        var stage = FollowerStage(after: list(10...15), list(14...19), list(18...23), list(22...27))
        #expect(stage.see(list(10...15), at: 12) == .stale)
        #expect(stage.see(list(23...28), at: 13) == .new(from: 5, missing: 0))
    }

    @Test("A known list that lasts three target durations is told by its bytes, then passed over")
    func staleForLong() {
        var stage = FollowerStage(after: list(10...20))
        #expect(stage.see(list(8...18), at: 17) == .stale)
        #expect(stage.see(list(8...18), at: 18) == .undecided(index: 10))
        stage.follower.assume(upTo: nil)
        #expect(stage.see(list(8...18), at: 21) == .stale)
        #expect(stage.see(list(11...21), at: 24) == .new(from: 10, missing: 0))
        #expect(stage.see(list(8...18), at: 43) == .undecided(index: 10))
    }

    @Test("A known list whose bytes cannot be compared is passed over until it lists more")
    func staleUnread() {
        var stage = FollowerStage(after: list(0...20))
        #expect(stage.see(list(0...2), at: 18) == .undecided(index: 2))
        stage.follower.assume(upTo: 2)
        #expect(stage.see(list(0...2), at: 24) == .stale)
        #expect(stage.see(list(0...3), at: 30) == .undecided(index: 3))
    }

    // MARK: Restarts

    @Test("Restart to 0 with later dates: one sign is enough when nothing came for two target durations")
    func restartDated() {
        var stage = FollowerStage(after: list(500...505, date: { Double($0) * 6 }))
        let again = list(0...1, date: { 3060 + Double($0) * 6 })
        #expect(stage.see(again, at: 11) == .stale)
        #expect(stage.see(again, at: 12).isRestart)
        #expect(stage.follower.highest == 1)
    }

    @Test("Restart to 0 with later dates and a later discontinuity sequence: two signs are enough at once")
    func twoSigns() {
        var stage = FollowerStage(after: list(500...505, date: { Double($0) * 6 }, discontinuitySequence: 2))
        #expect(
            stage.see(list(0...1, date: { 3060 + Double($0) * 6 }, discontinuitySequence: 3), at: 3).isRestart
        )
    }

    @Test("Restart to 0 without dates from far above: two target durations are enough")
    func restartFarBelow() {
        var stage = FollowerStage(after: list(5000...5005))
        #expect(stage.see(list(0...1), at: 11) == .stale)
        #expect(stage.see(list(0...1), at: 12).isRestart)
    }

    @Test("Restart to a low number without dates: unknown names are taken after three target durations")
    func restartUndated() {
        var stage = FollowerStage(after: list(60...65))
        for time in [6.0, 12, 17] { #expect(stage.see(list(7...8), at: time) == .stale) }
        #expect(stage.see(list(7...10), at: 18).isRestart)
        #expect(stage.see(list(8...11), at: 21) == .new(from: 3, missing: 0))
    }

    @Test("Restart to 0 with the same file names: the bytes tell, and the new list then goes on")
    func sameNames() {
        var stage = FollowerStage(after: list(0...5))
        #expect(stage.see(list(0...1), at: 12) == .stale)
        #expect(stage.see(list(0...2), at: 18) == .undecided(index: 2))
        stage.follower.reset()
        stage.follower.take(list(0...2), now: moment(18))
        #expect(stage.see(list(0...3), at: 24) == .new(from: 3, missing: 0))
        #expect(stage.see(list(1...4), at: 30) == .new(from: 3, missing: 0))
    }

    @Test("The same names and numbers with later dates are a restart without a look at the bytes")
    func sameNamesDated() {
        var stage = FollowerStage(after: list(0...5, date: { Double($0) * 6 }))
        #expect(stage.see(list(0...2, date: { 60 + Double($0) * 6 }), at: 30).isRestart)
        var longer = FollowerStage(after: list(0...5, date: { Double($0) * 6 }))
        #expect(longer.see(list(0...7, date: { 60 + Double($0) * 6 }), at: 30).isRestart)
    }

    @Test("After a restart an old list may appear once more: it is passed over")
    func oldListOnceMore() {
        var stage = FollowerStage(after: list(500...505, date: { Double($0) * 6 }))
        #expect(stage.see(list(0...2, date: { 3060 + Double($0) * 6 }), at: 20).isRestart)
        #expect(stage.see(list(499...504, date: { Double($0) * 6 }), at: 22) == .stale)
        #expect(stage.see(list(500...505, date: { Double($0) * 6 }), at: 24) == .stale)
        #expect(stage.see(list(0...3, date: { 3060 + Double($0) * 6 }), at: 26) == .new(from: 3, missing: 0))
    }

    @Test("Numbers and names of the run before come again: a playlist that goes on is no old one")
    func namesOnceMore() {
        var stage = FollowerStage(after: list(500...505))
        #expect(stage.see(list(494...499, discontinuitySequence: 9), at: 20).isRestart)
        #expect(stage.see(list(500...505), at: 38) == .stale)
        #expect(stage.see(list(500...505), at: 80) == .new(from: 0, missing: 0))
        #expect(stage.see(list(506...511), at: 118) == .new(from: 0, missing: 0))
    }

    @Test("A restart soon after a restart waits, because two origins may answer in turn")
    func flapping() {
        var stage = FollowerStage(after: list(500...505))
        #expect(stage.see(list(100...105), at: 20).isRestart)
        #expect(stage.see(list(0...5, discontinuitySequence: 9), at: 23) == .stale)
        #expect(stage.see(list(0...5, discontinuitySequence: 9), at: 35) == .stale)
        #expect(stage.see(list(0...5, discontinuitySequence: 9), at: 38).isRestart)
    }

    @Test("A source that ends soon after a restart and begins again is followed at once")
    func endedSoon() {
        var stage = FollowerStage(after: list(500...505, date: { Double($0) * 6 }))
        #expect(stage.see(list(0...2, date: { 3060 + Double($0) * 6 }), at: 20).isRestart)
        let ended = list(0...4, date: { 3060 + Double($0) * 6 }, ended: true)
        #expect(stage.see(ended, at: 32) == .new(from: 3, missing: 0))
        #expect(stage.see(list(0...0, date: { 3100 + Double($0) * 6 }), at: 40).isRestart)
    }

    @Test("Numbers that begin at 0 or 1 again are a restart after two target durations, others after three")
    func fromTheBeginning() {
        for (first, isEarly) in [(0, true), (1, true), (2, false)] {
            var stage = FollowerStage(after: list(60...62))
            #expect(stage.see(list(first...first + 2), at: 11) == .stale)
            #expect(stage.see(list(first...first + 2), at: 12).isRestart == isEarly)
            #expect(isEarly || stage.see(list(first...first + 2), at: 18).isRestart)
        }
    }

    @Test("After ENDLIST a playlist that starts from the beginning is a restart, one that goes on is not")
    func endedThenLive() {
        var lower = FollowerStage(after: list(10...15, ended: true))
        #expect(lower.see(list(0...2), at: 60).isRestart)
        var higher = FollowerStage(after: list(10...15, ended: true))
        #expect(higher.see(list(30...32), at: 60).isRestart)
        var onward = FollowerStage(after: list(10...15, ended: true))
        #expect(onward.see(list(12...17), at: 60) == .new(from: 4, missing: 0))
    }

    @Test("After ENDLIST lower numbers of a shorter playlist are a restart at once, others after a while")
    func endedThenShort() {
        for (last, isAtOnce) in [(0, true), (4, true), (5, false)] {
            var stage = FollowerStage(after: list(10...15, ended: true))
            #expect(stage.see(list(0...last), at: 3).isRestart == isAtOnce)
            #expect(isAtOnce || stage.see(list(0...last), at: 12).isRestart)
        }
    }

    // MARK: Coming back

    @Test("Resumed with an overlap, the bytes of the highest known number tell")
    func resumedOverlap() {
        var follower = PlaylistFollower(resumingAfter: 20)
        #expect(follower.judge(list(15...25), now: moment(0)) == .undecided(index: 5))
        follower.assume(upTo: nil)
        #expect(follower.judge(list(15...25), now: moment(0)) == .new(from: 6, missing: 0))
    }

    @Test("Resumed behind the list, what is missing is counted")
    func resumedBehind() {
        let follower = PlaylistFollower(resumingAfter: 20)
        #expect(follower.judge(list(25...30), now: moment(0)) == .new(from: 0, missing: 4))
    }

    @Test("Resumed and all numbers lower: the last one's bytes tell")
    func resumedLower() {
        var follower = PlaylistFollower(resumingAfter: 500)
        #expect(follower.judge(list(0...5), now: moment(0)) == .undecided(index: 5))
        follower.assume(upTo: nil)
        #expect(follower.judge(list(0...5), now: moment(0)).isRestart)
    }

    @Test(
        "Resumed to a list that lies behind what is held: equal bytes make it stale, and numbers go on from it"
    )
    func resumedStale() {
        var follower = PlaylistFollower(resumingAfter: 100)
        #expect(follower.judge(list(90...98), now: moment(0)) == .undecided(index: 8))
        follower.confirm(by: list(90...98), now: moment(0))
        for time in [0.0, 6, 600] { #expect(follower.judge(list(90...98), now: moment(time)) == .stale) }
        #expect(follower.judge(list(92...101), now: moment(12)) == .new(from: 9, missing: 0))
    }

    @Test("Resumed to a list behind what is held, a restart that follows is one after three target durations")
    func resumedStaleThenRestart() {
        var follower = PlaylistFollower(resumingAfter: 100)
        follower.confirm(by: list(90...98), now: moment(0))
        #expect(follower.judge(list(5...8), now: moment(17)) == .stale)
        #expect(follower.judge(list(5...8), now: moment(18)).isRestart)
    }

    // MARK: Names

    @Test("Hosts, folders and tokens that change with each load change nothing")
    func rotatingNames() {
        var stage = FollowerStage()
        for step in 0..<20 {
            let rotating = list(
                10 + step...15 + step,
                name: { "https://edge\(step).example.com/\(step)/seg\($0).ts?token=\(step * 7919 + $0)" })
            let finding = stage.see(rotating, at: Double(step * 6))
            #expect(finding == .new(from: step == 0 ? 0 : 5, missing: 0))
        }
    }

    @Test("File names that change with each load are told by bytes once")
    func hashedNames() {
        var stage = FollowerStage(after: list(10...15, name: { "a\($0 * 31).ts" }))
        let other = list(11...16, name: { "b\($0 * 37).ts" })
        #expect(stage.see(other, at: 6) == .undecided(index: 0))
        stage.follower.confirm(by: other, now: moment(6))
        #expect(stage.see(other, at: 6) == .new(from: 5, missing: 0))
        #expect(stage.see(list(12...17, name: { "c\($0 * 41).ts" }), at: 12) == .new(from: 5, missing: 0))
    }

    @Test("Known numbers with other dates are another numbering; the host's names do not matter then")
    func otherDates() {
        var stage = FollowerStage(after: list(10...15, date: { Double($0) * 6 }))
        #expect(stage.see(list(11...16, date: { 600 + Double($0) * 6 }), at: 6).isRestart)
        var same = FollowerStage(after: list(10...15, name: { "a\($0)" }, date: { Double($0) * 6 }))
        #expect(
            same.see(list(11...16, name: { "b\($0)" }, date: { Double($0) * 6 + 0.5 }), at: 6)
                == .new(from: 5, missing: 0))
    }

    @Test("Known numbers with other names, half a segment off by their dates, are told by bytes")
    func shiftedDates() {
        let name = { (load: String) in { (number: Int) in "\(load)\(number * 31).ts" } }
        var stage = FollowerStage(after: list(0...0, name: name("a"), date: { Double($0) * 6 }))
        let other = list(0...1, name: name("b"), date: { 4 + Double($0) * 6 })
        #expect(stage.see(other, at: 6) == .undecided(index: 0))
        // Names change with each load, and dates wander: the bytes were the same.
        stage.follower.confirm(by: other, now: moment(6))
        #expect(stage.see(other, at: 6) == .new(from: 1, missing: 0))
        let same = list(0...1, name: name("a"), date: { 4 + Double($0) * 6 })
        var named = FollowerStage(after: list(0...0, name: name("a"), date: { Double($0) * 6 }))
        #expect(named.see(same, at: 6) == .new(from: 1, missing: 0))
    }

    @Test("Lower numbers are believed a target duration earlier where another rendition has begun again")
    func followsOthers() {
        let stage = FollowerStage(after: list(100...102))
        for (time, isRestart) in [(6.0, false), (12, true)] {
            let finding = stage.follower.judge(list(3...4), now: moment(time), followsOthers: true)
            #expect(finding.isRestart == isRestart)
            #expect(!stage.follower.judge(list(3...4), now: moment(time)).isRestart)
        }
    }

    @Test("Numbers at the end of their range do no harm")
    func extremes() {
        var ends = list(0...2)
        ends.mediaSequence = .max - 1
        #expect(PlaylistFollower().judge(ends, now: moment(0)) == .new(from: 0, missing: 0))
        ends.mediaSequence = UInt64(Int64.max - 5)
        var stage = FollowerStage(after: list(0...2, date: { Double($0) }))
        #expect(stage.see(ends, at: 100).isRestart)
        #expect(stage.see(list(0...2), at: 200) == .stale)
        #expect(stage.see(list(1...3), at: 206).isRestart)
    }

    @Test(
        "The target duration is the list's, else its longest segment, between one second and a minute",
        arguments: [(6, 6), (0, 6), (nil, 6), (1_000_000, 60), (Int.max, 60), (-3, 6)] as [(Int?, Int64)])
    func target(declared: Int?, expected: Int64) {
        var list = list(0...2)
        list.targetDurationSeconds = declared
        #expect(PlaylistFollower.target(of: list) == expected * seconds)
    }

    // MARK: Nothing listed

    @Test("After a list that has ended with nothing in it, lower numbers begin again")
    func endedEmpty() {
        var stage = FollowerStage(after: list(10...15))
        stage.follower.end()
        #expect(stage.see(list(0...2), at: 13).isRestart)
    }
}
