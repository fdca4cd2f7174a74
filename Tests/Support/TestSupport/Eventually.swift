/// Waits until a condition holds; asks often, so a test takes no longer than what it waits for.
package func eventually(
    _ what: String = "the condition", within limit: Duration = .seconds(180),
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
    try await waitFor(what, within: limit) { try await condition() ? true : nil }
}

/// Waits until there is a value, and answers it.
@discardableResult
package func waitFor<Value>(
    _ what: String = "the value", within limit: Duration = .seconds(180),
    isolation: isolated (any Actor)? = #isolation, _ value: () async throws -> Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    var pause = Duration.milliseconds(1)
    while true {
        if let value = try await value() { return value }
        guard ContinuousClock.now < deadline else {
            throw TestFailure("\(what) did not come within \(limit)")
        }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(50))
    }
}
