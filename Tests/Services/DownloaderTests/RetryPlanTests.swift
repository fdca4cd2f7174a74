import Concurrency
import HTTP
import Testing

@testable import Downloader
@testable import HTTPClient

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

    @Test(
        "A date in Retry-After counts from that of the answer, in every form of a date",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 17), ("Sunday, 06-Nov-94 08:49:37 GMT", 17),
            ("Sun Nov  6 08:49:37 1994", 17), ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
            ("Mon, 07 Nov 1994 08:49:37 GMT", 3600), ("17", 17), ("-1", 0), ("soon", nil),
            ("Sun, 06 Now 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49 GMT", nil),
            ("Sun, 06 Nov 1994 25:49:37 GMT", nil),
        ] as [(String, Int?)])
    func retryAfterDate(value: String, seconds: Int?) {
        // The form with two digits of the year is of this century.
        let date = value.contains("-94") ? "Sat, 06 Nov 2094 08:49:20 GMT" : "Sun, 06 Nov 1994 08:49:20 GMT"
        let pause = seconds.map { Duration.seconds($0) }
        let head = Self.head(["Retry-After": value, "Date": date])
        #expect(AttemptFailure(head) == .status(503, retryAfter: pause))
        guard Int(value) == nil else { return }
        #expect(AttemptFailure(Self.head(["Retry-After": value])) == .status(503, retryAfter: nil))
    }

    private static func head(_ fields: HTTPHeaders) -> TransferHead {
        TransferHead(
            status: .serviceUnavailable, headers: fields, effectiveURL: "http://origin.test/",
            remoteAddress: "127.0.0.1", requestedAt: .now, firstRequestAt: .now, arrivedAt: .now)
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
        let failure = AttemptFailure.transfer(.connectionFailed("refused"))
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
