import HTTP
import Testing

@testable import HTTPServer

@Suite("Answers of the server itself")
struct ServerResponsesTests {
    @Test("pages of every origin may read that the server is busy, and when to ask again")
    func busy() {
        for answer in [
            ServerResponses.busy, ServerResponses.tooManyStreams, ServerResponses.late,
            ServerResponses.unsendable,
        ] {
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.headers["Access-Control-Allow-Origin"] == "*")
            #expect(answer.headers["Retry-After"] == "1")
        }
    }
}
