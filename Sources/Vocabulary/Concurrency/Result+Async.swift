extension Result {
    /// The outcome of a body that waits: its value, or the error that it threw.
    nonisolated(nonsending) package init(of body: () async throws(Failure) -> Success) async {
        do throws(Failure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
