/// Runs cleanup that the cancellation of the calling task must not cut short.
///
/// It runs in a task of its own: in a cancelled task each of its waits would end at once. After `limit` it is
/// cancelled, and the call returns when it has reacted to that; without a limit it has to bound itself.
package func withCancellationShield<Value: Sendable>(
    within limit: Duration? = nil, by clock: HostClock,
    _ cleanup: sending @escaping @isolated(any) () async throws -> Value,
) async throws -> Value {
    let shielded = Task(operation: cleanup)
    guard let limit else { return try await shielded.value }
    let timer = Task<Void, Never> {
        guard (try? await clock.sleep(for: limit)) != nil else { return }
        shielded.cancel()
    }
    defer { timer.cancel() }
    return try await shielded.value
}
