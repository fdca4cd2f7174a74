import JSON
import TestSupport
import Testing
import Timeline

@testable import Downloader

@Suite("The states of a task")
struct TaskStateTests {
    private static let now = Instant(seconds: 1_700_000_000)

    private func task(_ state: TaskState) -> DownloadTask {
        var task = DownloadTask(id: "a", url: "http://origin.test/a", title: "A", created: Self.now)
        task.state = state
        return task
    }

    @Test("A task goes from its turn to its end")
    func wholeWay() {
        var task = task(.queued)
        for (event, state) in [
            (TaskEvent.started, TaskState.preparing), (.prepared, .downloading),
            (.networkLost, .waitingForNetwork),
            (.prepared, .downloading), (.packingStarted, .packing), (.finished, .completed),
        ] {
            let isPossible = task.apply(event, at: Self.now)
            #expect(isPossible && task.state == state)
        }
        #expect(task.progress == 1)
        #expect(task.started == Self.now && task.finished == Self.now)
    }

    @Test(
        "Each running state can be paused, canceled, fail and be interrupted", arguments: TaskState.allCases)
    func running(state: TaskState) {
        #expect(state.isRunning == (state.after(.interrupted) == .queued))
        if state.isRunning {
            #expect(state.after(.paused) == .paused)
            #expect(state.after(.canceled) == .canceled)
            #expect(state.after(.failed) == .failed)
        }
    }

    @Test("What is completed never changes", arguments: TaskEvent.allCases)
    func completed(event: TaskEvent) {
        #expect(TaskState.completed.after(event) == nil)
    }

    @Test("Whatever happens, an ended task has its time, another one has none, and no idle task has a speed")
    func anySequence() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var task = task(.queued)
            for _ in 0..<30 {
                task.speedBytesPerSecond = 1000
                guard let event = TaskEvent.allCases.randomElement(using: &random) else { continue }
                let before = task.state
                let isPossible = task.apply(event, at: Self.now)
                #expect(isPossible == (before.after(event) != nil))
                #expect(isPossible || task.state == before)
                #expect(task.state.isEnded == (task.finished != nil))
                if isPossible, !task.state.isRunning { #expect(task.speedBytesPerSecond == 0) }
                #expect(task.state != .completed || task.progress == 1)
            }
        }
    }

    @Test("A full disk pauses a task with its reason, other errors end it")
    func errors() {
        var full = task(.downloading)
        full.stop(because: .diskFull(path: "/d"), at: Self.now)
        #expect(full.state == .paused)
        #expect(full.error?.title == "Disk full")
        var broken = task(.downloading)
        broken.stop(because: .key("the key 1.key cannot be fetched"), at: Self.now)
        #expect(broken.state == .failed)
        #expect(broken.error?.detail == "the key 1.key cannot be fetched")
        var stopped = task(.downloading)
        stopped.stop(because: .cancelled, at: Self.now)
        #expect(stopped.state == .paused && stopped.error == nil)
    }

    @Test("The JSON of a task has all members, with null where there is nothing")
    func json() {
        let text = String(decoding: task(.waitingForNetwork).json.bytes, as: UTF8.self)
        #expect(
            text == #"{"id":"a","url":"http://origin.test/a","title":"A","state":"waiting_for_network","#
                + #""progress":0.0,"bytes":0,"speed_bytes_per_second":0,"segments":{"done":0,"total":0},"#
                + #""duration_seconds":0.0,"file":null,"picture":null,"error":null,"renditions":[],"#
                + #""labels":{},"created":"\#(Self.now.rfc3339)","started":null,"finished":null}"#)
    }
}
