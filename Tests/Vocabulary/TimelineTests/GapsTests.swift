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
