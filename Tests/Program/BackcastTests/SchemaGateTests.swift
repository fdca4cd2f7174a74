import HTTP
import Testing

@testable import Backcast

@Suite("The schema's gate")
struct SchemaGateTests {
    @Test(
        "lets liveness probes and metrics through, and answers 503 otherwise",
        arguments: [
            ("/healthz", nil), ("/metrics", nil), ("/readyz", 503), ("/", 503), ("/api/v1/channels", 503),
            ("/live/a/index.m3u8", 503),
        ] as [(String, Int?)])
    func closed(path: String, expected: Int?) {
        let response = answer(SchemaGate(), path)
        #expect(response?.status.rawValue == expected)
        guard let response else { return }
        #expect(response.headers["Content-Type"] == "application/problem+json")
        #expect(response.headers["Retry-After"].flatMap { Int($0) } != nil)
        #expect(response.headers["Access-Control-Allow-Origin"] == "*")
    }

    @Test("lets everything through once the schema is ready", arguments: ["/readyz", "/live/a/index.m3u8"])
    func open(path: String) {
        let gate = SchemaGate()
        gate.open()
        #expect(answer(gate, path) == nil)
    }

    private func answer(_ gate: SchemaGate, _ path: String) -> HTTPResponse? {
        guard case .now(let response) = gate.answer(HTTPRequest(method: .get, path: path)) else { return nil }
        return response
    }
}
