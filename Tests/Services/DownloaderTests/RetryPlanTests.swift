import HTTPClient
import Testing

@testable import Downloader

@Suite("When a request is made again")
struct RetryPlanTests {
    @Test("Eight tries, with pauses that double to fifteen seconds")
    func tries() {
        var plan = RetryPlan(name: "v0/00001.ts")
        let steps = (0..<8).map { _ in plan.step(after: .damaged("cut")) }
        let pauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8)]
        #expect(steps.prefix(5) == pauses.map { .pause($0) }[...])
        #expect(steps[5] == .pause(.seconds(15)) && steps[6] == .pause(.seconds(15)))
        #expect(steps[7] == .giveUp(.part(name: "v0/00001.ts", reason: "cut")))
    }

    @Test("Retry-After is honoured up to a minute")
    func retryAfter() {
        var plan = RetryPlan(name: "a")
        #expect(plan.step(after: .status(503, retryAfter: .seconds(7))) == .pause(.seconds(7)))
        #expect(plan.step(after: .status(503, retryAfter: .seconds(700))) == .pause(.seconds(60)))
        #expect(plan.step(after: .status(503, retryAfter: nil)) == .pause(.seconds(2)))
    }

    @Test("After three refusals the playlist is read again once, after three more the part is given up")
    func refusals() {
        var plan = RetryPlan(name: "a")
        let steps = (0..<6).map { _ in plan.step(after: .refused(status: 403)) }
        #expect(steps[2] == .renew)
        #expect(steps.filter { $0 == .renew }.count == 1)
        #expect(steps[5] == .giveUp(.part(name: "a", reason: "the server answered with status 403")))
    }

    @Test("Without any connection the task waits for the network, and does not count tries")
    func network() {
        var plan = RetryPlan(name: "a")
        let failure = TryFailure.transfer(.connectionFailed("refused"))
        let steps = (0..<20).map { _ in plan.step(after: failure) }
        #expect(steps.dropFirst(3).allSatisfy { $0 == .waitForNetwork })
    }

    @Test("What another try cannot change ends at once")
    func final() {
        var plan = RetryPlan(name: "a")
        let refused = TransferError.schemeRefused("file")
        #expect(plan.step(after: .transfer(refused)) == .giveUp(.part(name: "a", reason: "\(refused)")))
        #expect(plan.step(after: .transfer(.cancelled)) == .giveUp(.cancelled))
    }
}
