import HLS
import Testing
import Timeline

@testable import Recorder

@Suite("The times of another source's playlist")
struct DatedWindowsTests {
    /// The dates go on where the recording ended, so they are right and the host's clock is wrong.
    @Test(
        "Dates of another source tell its place also while the host's clock is wrong, and in another zone",
        arguments: [(0, 3_600), (-28_800, 0), (28_800, 0), (8_400, 0), (172_800, 0)] as [(Double, Double)])
    func datedWindows(error: Double, zone: Double) {
        var progress = RenditionProgress(
            RenditionDescription(id: video(0)), choice: .auto, end: at(600))
        progress.run = 7
        _ = progress.list(
            list(100...102, date: { Double($0) * 6 }), from: 0, opensHole: false, cause: nil,
            hole: .sourceJump, arrival: Arrival(date: at(618 + error), steady: moment(618)), shared: [:])
        #expect(progress.placing.clock == .source && progress.placing.zone == 0)
        let other = list(100...103, date: { Double($0) * 6 + zone })
        let windows = progress.datedWindows(
            in: other, at: Arrival(date: at(624 + error), steady: moment(624)), choice: .auto)
        #expect(windows?.map(\.begin) == [600, 606, 612, 618].map { at($0) })
    }
}
