import HLS
import Testing
import Timeline

@testable import Recorder

/// The channel's `clock` is `source`: its dates are right, whatever arrival says.
@Suite("Dates that jump where the source's clock is chosen")
struct FollowedDatesTests {
    @Test(
        "are followed at once where a discontinuity or the next date shows it: the time before is missing",
        arguments: [13.0, 60, 3_600, 172_800])
    func shown(length: Double) {
        var stage = PlacingStage(.source)
        stage.place([100], arrival: 106)
        stage.place([106 + length], arrival: 112, confirmsStep: true)
        stage.place([112 + length], arrival: 118)
        #expect(stage.starts == [100, 106 + length, 112 + length])
        #expect(stage.steps == [1])
        #expect(stage.placements.map(\.isStepOfDatesOnly) == [false, true, false])
        #expect(stage.placing.clock == .source && stage.placing.dateRejection == nil)
    }

    @Test("are followed by the fourth of them where nothing else shows it")
    func notShown() {
        var stage = PlacingStage(.source)
        stage.place([100], arrival: 106)
        for index in 1...5 { stage.place([160 + Double(index) * 6], arrival: 106 + Double(index) * 6) }
        #expect(stage.starts == [100, 106, 112, 118, 184, 190])
        #expect(stage.steps == [4])
        #expect(stage.placements[4].isStepOfDatesOnly)
        #expect(stage.placing.clock == .source && stage.placing.dateRejection == nil)
    }

    @Test("are not followed for one wrong date", arguments: [86_400.0, 60, -3_600])
    func oneWrongDate(error: Double) {
        var stage = PlacingStage(.source)
        for index in 0..<20 {
            let date = 100 + Double(index) * 6
            stage.place([index == 3 ? date + error : date], arrival: date + 6)
        }
        #expect(stage.starts == (0..<20).map { 100 + Double($0) * 6 })
        #expect(stage.placing.clock == .source)
    }

    @Test("never lead the timeline back: arrival goes on, until dates go on from there again")
    func backward() {
        var stage = PlacingStage(.source)
        stage.place([100], arrival: 106)
        for index in 1...6 {
            let time = 106 + Double(index) * 6
            stage.place([time - 66], arrival: time, confirmsStep: index == 1)
        }
        #expect(stage.starts == (0...6).map { 100 + Double($0) * 6 })
        #expect(stage.placing.clock == .arrival && stage.placing.dateRejection != nil)
        for index in 7...9 {
            stage.place([100 + Double(index) * 6], arrival: 106 + Double(index) * 6)
        }
        #expect(stage.starts == (0...9).map { 100 + Double($0) * 6 })
        #expect(stage.placing.clock == .source && stage.placing.dateRejection == nil)
    }

    @Test("are not followed further from arrival than a year, nor where they stand still")
    func bounds() {
        for wrong: (Int) -> Double in [{ 1e8 + Double($0) * 6 }, { _ in 400 }] {
            var stage = PlacingStage(.source)
            stage.place([100], arrival: 106)
            for index in 1...10 {
                stage.place([wrong(index)], arrival: 106 + Double(index) * 6)
            }
            #expect(stage.starts == (0...10).map { 100 + Double($0) * 6 })
            #expect(stage.placing.clock == .arrival)
        }
    }

    @Test("are not followed where the channel does not say so")
    func notChosen() {
        var stage = PlacingStage()
        stage.place([100], arrival: 106)
        for index in 1...8 {
            stage.place(
                [160 + Double(index) * 6], arrival: 106 + Double(index) * 6, confirmsStep: index == 1)
        }
        #expect(stage.starts == (0...8).map { 100 + Double($0) * 6 })
        #expect(stage.placing.clock == .arrival)
    }

    @Test(
        "are followed within the first playlist, and the reason of the gap is a jump",
        arguments: [true, false], [ClockChoice.source, .auto])
    func firstPlaylist(isTagged: Bool, choice: ClockChoice) {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: choice)
        progress.run = 7
        var playlist = list(10...14, date: { 40 + Double($0) * 6 + ($0 < 12 ? 0 : 60) })
        playlist.segments[2].discontinuityCount = isTagged ? 1 : 0
        let segments = progress.list(
            playlist, from: 0, opensHole: true, cause: nil, hole: .sourceStalled, arrival: arrived(190),
            shared: [:])
        let isFollowed = choice == .source
        #expect(
            segments.map { PublisherStage.seconds($0.start) }
                == (isFollowed ? [100, 106, 172, 178, 184] : [160, 166, 172, 178, 184]))
        #expect(segments.map(\.hole) == [nil, nil, isFollowed ? .sourceJump : nil, nil, nil])
        let boundary: DiscontinuityCause? = isTagged ? .listed : isFollowed ? .hole : nil
        #expect(segments.map(\.boundary) == [nil, nil, boundary, nil, nil])
    }
}
