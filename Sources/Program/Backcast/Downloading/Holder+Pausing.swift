import Downloader

extension Holder {
    /// What became of tasks that were to be paused.
    struct PauseOutcome: Sendable {
        /// The tasks as they are then, by id.
        var tasks: [String: DownloadTask] = [:]
        /// Why the holder refused a pause, by id.
        var refusals: [String: String] = [:]
        /// Why tasks that have not stopped could not be paused, by id.
        var failures: [String: String] = [:]
    }

    /// Has tasks paused at the same time.
    ///
    /// A live recording is completed, and this waits until it is packed, however long that takes. Meanwhile
    /// `show` gets each change.
    func pause(_ ids: Set<String>, show: (DownloadTask) -> Void = { _ in }) async -> PauseOutcome {
        var pausing = PauseOutcome()
        guard !ids.isEmpty else { return pausing }
        let errors = await askToPause(ids, &pausing.refusals)
        pausing.tasks = await tasks(ids)
        if pausing.isPacking {
            try? await follow(for: Limits.holderFollowTimeout) { change in
                switch change {
                case .task(let task) where ids.contains(task.id):
                    pausing.tasks[task.id] = task
                    show(task)
                case .removed(let id): pausing.tasks[id] = nil
                default: break
                }
                return !pausing.isPacking
            }
        }
        for (id, error) in errors where pausing.tasks[id].map({ !$0.state.hasStopped }) ?? true {
            pausing.failures[id] = "\(id) cannot be paused: \(error)"
        }
        return pausing
    }

    /// Gives the errors by id, and adds what the holder says.
    ///
    /// Its answer for a live recording comes only when it is packed.
    private func askToPause(
        _ ids: Set<String>, _ refusals: inout [String: String]
    ) async -> [String: any Error] {
        await withTaskGroup(of: (id: String, answer: Result<String?, any Error>).self) { group in
            for id in ids {
                group.addTask {
                    do {
                        return (id, .success(try await self.act("pause", on: id).problem))
                    } catch {
                        return (id, .failure(error))
                    }
                }
            }
            var errors: [String: any Error] = [:]
            for await (id, answer) in group {
                switch answer {
                case .success(let problem): refusals[id] = problem
                case .failure(let error): errors[id] = error
                }
            }
            return errors
        }
    }
}

extension Holder.PauseOutcome {
    fileprivate var isPacking: Bool { tasks.values.contains { $0.state == .packing } }
}
