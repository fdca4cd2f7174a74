import TestSupport
import Testing
import Timeline

struct GapsTests {
    private let video = RenditionID(kind: .video, index: 0)
    private let audio = RenditionID(kind: .audio, index: 0)
    private let second: Int64 = 1_000_000

    @Test("What all renditions lack is a gap of the channel; what one lacks is its own gap")
    func common() {
        let gaps = Gaps.computed(
            intended: set((0, 100)),
            held: [video: set((0, 20), (40, 100)), audio: set((0, 30), (40, 60), (70, 100))],
            losses: [])
        #expect(
            gaps == [
                gap(20, 30, .recorderDown, video), gap(30, 40, .recorderDown, nil),
                gap(60, 70, .recorderDown, audio),
            ])
    }

    @Test("A gap takes the cause that covers most of it")
    func causes() {
        let losses = [
            Loss(window: seconds(20, 22), reason: .segmentMissing),
            Loss(window: seconds(22, 40), reason: .diskFull),
            Loss(window: seconds(50, 60), reason: .sourceStalled),
        ]
        let gaps = Gaps.computed(
            intended: set((0, 100)), held: [video: set((0, 20), (40, 100))], losses: losses)
        #expect(gaps == [gap(20, 40, .diskFull, nil)])
    }

    @Test("That the recorder was down does not hide a cause that explains more of the gap than what is left")
    func downMeanwhile() {
        for (end, reason) in [(Int64(34), GapReason.sourceUnreachable), (90, .recorderDown)] {
            let losses = [
                Loss(window: seconds(20, 30), reason: .sourceUnreachable, rendition: video),
                Loss(window: seconds(20, end), reason: .recorderDown, rendition: video),
            ]
            let gaps = Gaps.computed(
                intended: set((0, 100)), held: [video: set((0, 20), (end, 100))], losses: losses)
            #expect(gaps == [gap(20, end, reason, nil)])
        }
    }

    @Test("Time that was not set to record is not a gap, and neither are differences of a millisecond")
    func noGap() {
        let held = WindowSet([
            seconds(0, 20),
            TimeWindow(begin: Instant(microseconds: 20 * second + 900), end: Instant(seconds: 50)),
        ])
        #expect(Gaps.computed(intended: set((0, 50)), held: [video: held], losses: []).isEmpty)
        #expect(Gaps.computed(intended: set((0, 10), (40, 50)), held: [video: held], losses: []).isEmpty)
    }

    @Test("A channel without renditions lacks everything that was set to record")
    func nothing() {
        #expect(
            Gaps.computed(intended: set((0, 10)), held: [:], losses: []) == [gap(0, 10, .recorderDown, nil)])
    }

    @Test("Twenty thousand gaps, each with its cause, take time that grows with their number")
    func many() {
        let losses = (0..<20_000).map {
            Loss(window: seconds($0 * 10 + 5, $0 * 10 + 10), reason: .segmentMissing, rendition: video)
        }
        let held = WindowSet((0..<20_000).map { seconds($0 * 10, $0 * 10 + 5) })
        let begun = ContinuousClock.now
        let gaps = Gaps.computed(intended: set((0, 200_000)), held: [video: held], losses: losses)
        #expect(ContinuousClock.now - begun < .seconds(10))
        #expect(gaps.map(\.window) == losses.map(\.window))
        #expect(gaps.allSatisfy { $0.reason == .segmentMissing })
    }

    @Test("A cause is found wherever it lies among the losses", arguments: 1...200)
    func anyLosses(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func windows(_ count: Int) -> [TimeWindow] {
            (0..<count).map { _ in
                let begin = Int64.random(in: 0..<60, using: &random)
                return seconds(begin, begin + Int64.random(in: 0...20, using: &random))
            }
        }
        let reasons: [GapReason] = [.recorderDown, .diskFull, .keyMissing, .segmentMissing]
        let losses = windows(8).map { window in
            Loss(
                window: window, reason: reasons.randomElement(using: &random) ?? .diskFull,
                rendition: [nil, video, audio].randomElement(using: &random) ?? nil)
        }
        let gaps = Gaps.computed(
            intended: set((0, 80)), held: [video: WindowSet(windows(4)), audio: WindowSet(windows(4))],
            losses: losses)
        for gap in gaps { #expect(gap.reason == plainReason(of: gap, losses), "\(gap)") }
    }

    /// The reason of a gap, found by looking at every loss.
    private func plainReason(of gap: Gap, _ losses: [Loss]) -> GapReason {
        let causes = losses.filter {
            ($0.rendition == nil || gap.rendition == nil || $0.rendition == gap.rendition)
                && $0.window.overlaps(gap.window)
        }
        let known = WindowSet(causes.filter { $0.reason != .recorderDown }.map(\.window))
        var (reason, most) = (GapReason.recorderDown, Int64(0))
        for cause in causes {
            let part = WindowSet([cause.window.clamped(to: gap.window)])
            let covered = cause.reason == .recorderDown ? part.subtracting(known) : part
            if covered.microseconds > most { (reason, most) = (cause.reason, covered.microseconds) }
        }
        return reason
    }

    private func seconds(_ begin: Int64, _ end: Int64) -> TimeWindow {
        TimeWindow(begin: Instant(seconds: begin), end: Instant(seconds: end))
    }

    private func set(_ pairs: (Int64, Int64)...) -> WindowSet {
        WindowSet(pairs.map { seconds($0.0, $0.1) })
    }

    private func gap(_ begin: Int64, _ end: Int64, _ reason: GapReason, _ rendition: RenditionID?) -> Gap {
        Gap(window: seconds(begin, end), reason: reason, rendition: rendition)
    }
}
