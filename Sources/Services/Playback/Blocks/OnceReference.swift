import Synchronization

/// A reference that is set once, by whichever thread has made the object first.
///
/// A type of its own, because each load of `AtomicLazyReference` looks up type metadata: a tenth of the time
/// of a compressed playlist of a day.
@safe
struct OnceReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    /// The address of the object, which this owns; 0 while there is none.
    private let address = Atomic<UInt>(0)

    deinit {
        if let object = unsafe Self.object(at: address.load(ordering: .acquiring)) { unsafe object.release() }
    }

    @inline(__always)
    func load() -> Object? {
        unsafe Self.object(at: address.load(ordering: .acquiring))?.takeUnretainedValue()
    }

    /// Sets the object unless one is set; returns the object that is set from now on.
    func storeIfNil(_ object: Object) -> Object {
        let owned = unsafe Unmanaged.passRetained(object)
        let own = unsafe UInt(bitPattern: owned.toOpaque())
        let (isStored, earlier) = address.compareExchange(
            expected: 0, desired: own, ordering: .acquiringAndReleasing)
        if isStored { return object }
        unsafe owned.release()
        return unsafe Self.object(at: earlier)?.takeUnretainedValue() ?? object
    }

    @inline(__always)
    private static func object(at address: UInt) -> Unmanaged<Object>? {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(pointer)
    }
}
