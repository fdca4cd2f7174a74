import Dispatch
import HTTP
import HTTPSupport
import Testing

@testable import HTTPServer

@Suite("Suspended connections")
struct SuspensionTests {
    @Test("While the kernel is asked who has gone, answers go on")
    func polling() async throws {
        let gate = Signal()
        let opened = Task { await gate.wait() }
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            .later {
                await opened.value
                return HTTPResponse(status: .ok, body: .bytes([1]))
            }
        }
        // The server itself does not look for clients that have gone.
        try await withServer(configure: { $0.limits.sweep = .seconds(60) }, respond: respond) { server in
            let client = try RawConnection(port: server.port)
            client.get("/")
            let answered = DispatchSemaphore(value: 0)
            let status = Task {
                defer { answered.signal() }
                return try await client.response().status
            }
            var (isAsked, isAnswered) = (false, false)
            for _ in 0..<20_000 where !isAsked {
                try await Task.sleep(for: .milliseconds(5))
                server.core.suspended.resumeDisconnected { suspended in
                    guard !suspended.isEmpty else { return [] }
                    isAsked = true
                    gate.set()
                    isAnswered = answered.wait(timeout: .now() + 100) == .success
                    // It has gone on, so nothing happens to it.
                    return suspended
                }
            }
            #expect(isAsked && isAnswered)
            #expect(try await status.value == 200)
        }
    }
}
