import Catalogue
import TestSupport
import Testing
import Timeline

@testable import Playback

struct TargetDurationsTests {
    private func rise(_ sequence: Int32, _ begin: Double, _ seconds: Int) -> TargetRise {
        TargetRise(discontinuitySequence: sequence, begin: at(begin), targetSeconds: seconds)
    }

    private func head(_ sequence: Int32, _ seconds: Int) -> PublishedHead {
        PublishedHead(
            discontinuitySequence: sequence, end: at(1000), watermark: at(1000), expiredBefore: at(0),
            targetSeconds: seconds)
    }

    @Test("A playlist has the target duration of the sequences in it, whatever followed")
    func seconds() {
        let targets = TargetDurations([rise(2, 100, 6), rise(5, 200, 10), rise(9, 300, 12)], head(7, 10))
        #expect([50.0, 100, 101, 200, 201, 900].map { targets.seconds(at: at($0)) } == [6, 6, 6, 6, 10, 10])
        #expect(targets.rises(in: window(0, 1000)).map(\.formerSeconds) == [6])
        #expect(targets.rises(in: window(0, 200)).isEmpty)
        #expect(TargetDurations([], head(7, 10)).seconds(at: at(5)) == 10)
    }

    @Test("What is read in parts is what is read at once, also of a channel that was reanchored")
    func parts() {
        let all = [rise(0, 0, 6), rise(3, 100, 10), rise(4, 200, 12)]
        #expect([TargetRise]().followed(by: all) == all)
        #expect([TargetRise]().followed(by: [all[0], all[1]]).followed(by: [all[1], all[2]]) == all)
        // A sequence with a target duration that is known, read with the one before it.
        #expect(all.followed(by: [rise(5, 300, 12)]) == all)
        #expect(all.followed(by: [rise(4, 200, 12), rise(5, 300, 14)]) == all + [rise(5, 300, 14)])
        // Sequence 4 began ahead of now, and is gone.
        #expect(all.followed(by: [rise(5, 150, 12)]) == [all[0], all[1], rise(5, 150, 12)])
    }
}
