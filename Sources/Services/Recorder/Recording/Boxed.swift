/// A large value that lies on the heap, and is copied only when it is changed.
///
/// What holds it is passed on and looked at often: a copy of it costs one reference count instead of one for
/// each part of the value.
@propertyWrapper
package struct Boxed<Value: Sendable>: Sendable {
    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    package init(wrappedValue: Value) {
        storage = Storage(wrappedValue)
    }

    package var wrappedValue: Value {
        _read { yield storage.value }
        set { storage = Storage(newValue) }
    }
}

extension Boxed: Equatable where Value: Equatable {
    package static func == (one: Self, other: Self) -> Bool {
        one.storage === other.storage || one.storage.value == other.storage.value
    }
}
