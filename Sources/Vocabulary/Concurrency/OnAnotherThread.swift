/// Runs a body on a thread of the task's executor, never on the thread that calls.
///
/// `Task.yield()` does not guarantee that: on a busy machine another thread may resume the continuation
/// before the task suspends, and the task then continues on the same thread. A child task always starts
/// elsewhere. It inherits priority, executor and cancellation.
package func onAnotherThread<Value: Sendable, Failure>(
    _ body: @Sendable () async throws(Failure) -> Value,
) async throws(Failure) -> Value {
    async let result = Result(of: body)
    return try await result.get()
}
