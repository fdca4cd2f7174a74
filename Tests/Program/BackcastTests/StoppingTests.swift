import Foundation
import Testing

@testable import Backcast

@Suite("Bounds of stopping")
struct StoppingTests {
    @Test("Downloads have the ten seconds of the contract, and the tidying time after them")
    func bounds() {
        #expect(Limits.drain == .seconds(10))
        #expect(Limits.drain + .seconds(10) <= .seconds(Limits.stoppingSeconds))
    }

    @Test(
        "Whatever runs the program waits until it ends by itself",
        arguments: [
            ("docker/compose.yaml", "stop_grace_period: "), ("deploy/backcast.service", "TimeoutStopSec="),
            ("deploy/kubernetes/backcast.yaml", "terminationGracePeriodSeconds: "),
        ])
    func deployments(path: String, key: String) throws {
        let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.contains(key) })
        let value = try #require(line.split(separator: key).last)
        let seconds = try #require(Int(value.prefix { $0.isNumber }))
        #expect(seconds > Limits.stoppingSeconds)
    }

    /// The repository, in which this file lies four folders deep.
    private let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
