import Testing

@testable import LiveOrigin

@Suite("The state of a channel")
struct ChannelStateTests {
    private func state(_ options: ChannelOptions = LiveOriginTests.options()) -> ChannelState {
        ChannelState(name: "ch1", options: options)
    }

    /// Publishes the next segment of four seconds; gives its listing.
    @discardableResult
    private func publish(_ state: inout ChannelState, _ rendition: String = "v0", at now: Double = 0)
        -> Listing?
    {
        guard let plan = state.plan(source(rendition, start: now - 4)) else { return nil }
        state.list(plan, now: now)
        return plan.listing
    }

    private func numbers(_ state: ChannelState, _ rendition: String = "v0") -> [Int] {
        state.renditions[rendition]?.listings.map(\.number) ?? []
    }

    @Test("The playlist slides: never below its length, numbers increase by one")
    func sliding() {
        var state = state()
        for index in 0..<20 { publish(&state, at: Double(index) * 4) }
        #expect(numbers(state) == Array(12..<20))
    }

    @Test("A playlist is never shorter than three target durations")
    func leastLength() {
        var options = options()
        options.listSeconds = 1
        var state = state(options)
        for _ in 0..<9 { publish(&state) }
        #expect(numbers(state) == [6, 7, 8])
    }

    @Test("A segment that left the playlist can be fetched for two more playlists")
    func retirement() {
        var state = state()
        for index in 0..<9 { publish(&state, at: Double(index) * 4) }
        #expect(state.renditions["v0"]?.available["v0/0.ts"] != nil)
        publish(&state, at: 32 + 64)
        #expect(state.renditions["v0"]?.available["v0/0.ts"] != nil)
        publish(&state, at: 32 + 65)
        #expect(state.renditions["v0"]?.available["v0/0.ts"] == nil)
    }

    @Test("The discontinuity sequence rises when a discontinuity leaves the list")
    func discontinuitySequence() {
        var state = state()
        publish(&state)
        state.markDiscontinuity()
        for _ in 0..<8 { publish(&state) }
        #expect(numbers(state) == Array(1..<9))
        #expect(state.renditions["v0"]?.discontinuitySequence == 0)
        publish(&state)
        #expect(numbers(state) == Array(2..<10))
        #expect(state.renditions["v0"]?.discontinuitySequence == 1)
    }

    @Test("A hole of missing segments lists them and serves none")
    func missing() {
        var state = state()
        state.apply(.hole(rendition: "v0", .init(form: .missing, count: 2, hasDiscontinuity: true)), now: 0)
        for _ in 0..<3 { publish(&state) }
        #expect(numbers(state) == [0, 1, 2])
        #expect(state.renditions["v0"]?.available.keys.sorted() == ["v0/2.ts"])
    }

    @Test(
        "Skipped media leaves no step in the numbers, and a discontinuity on request",
        arguments: [true, false])
    func skip(hasDiscontinuity: Bool) {
        var state = state()
        publish(&state)
        state.apply(
            .hole(rendition: "v0", .init(form: .skip, count: 2, hasDiscontinuity: hasDiscontinuity)), now: 0)
        #expect(publish(&state) == nil)
        #expect(publish(&state) == nil)
        #expect(publish(&state)?.isDiscontinuity == hasDiscontinuity)
        #expect(numbers(state) == [0, 1])
    }

    @Test("After a jump the playlist begins after the hole")
    func jump() {
        var state = state()
        publish(&state)
        state.apply(.hole(rendition: nil, .init(form: .jump, count: 3, hasDiscontinuity: false)), now: 0)
        for _ in 0..<3 { publish(&state) }
        #expect(numbers(state) == [0])
        publish(&state)
        #expect(numbers(state) == [4])
        #expect(state.renditions["v0"]?.available["v0/0.ts"] != nil)
    }

    @Test("A gap is listed as a gap and not served")
    func gap() {
        var state = state()
        state.apply(.gap(rendition: "v0", count: 1), now: 0)
        #expect(publish(&state)?.isGap == true)
        #expect(publish(&state)?.isGap == false)
        #expect(state.renditions["v0"]?.available.keys.sorted() == ["v0/1.ts"])
    }

    @Test("A restart keeps the old playlist until there is a new segment, then counts from 0")
    func restart() {
        var state = state()
        for _ in 0..<3 { publish(&state) }
        state.restart(.init(hasDiscontinuity: true, hasFreshNames: true))
        #expect(numbers(state) == [0, 1, 2])
        let first = publish(&state)
        #expect(first?.number == 0 && first?.isDiscontinuity == true && first?.uri == "v0/1-0.ts")
        #expect(numbers(state) == [0])
        #expect(state.renditions["v0"]?.available.count == 4)
    }

    @Test("A restart with the same names puts new bytes behind old URIs")
    func sameNames() {
        var state = state()
        for _ in 0..<2 { publish(&state) }
        state.restart(.init())
        #expect(publish(&state)?.isDiscontinuity == false)
        #expect(state.renditions["v0"]?.available["v0/0.ts"]?.stamp.sourceRun == 1)
        #expect(state.renditions["v0"]?.available["v0/1.ts"]?.stamp.sourceRun == 0)
    }

    @Test("Dates jump with the next segment")
    func dateJump() {
        var state = state()
        publish(&state, at: 104)
        state.apply(.dateJump(seconds: -3600), now: 104)
        publish(&state, at: 108)
        #expect(state.renditions["v0"]?.listings.map(\.date) == [100, -3496])
    }

    @Test("Keys rotate by number and are removed with the last segment that needs them")
    func keys() {
        var options = options()
        options.encryption = .aes128
        options.rotation = 2
        var state = state(options)
        for index in 0..<4 { publish(&state, at: Double(index) * 4) }
        #expect(state.keys.keys.sorted() == [0, 1])
        #expect(state.keys[0] != state.keys[1])
        for index in 4..<60 { publish(&state, at: Double(index) * 4) }
        #expect(state.keys[0] == nil)
    }
}
