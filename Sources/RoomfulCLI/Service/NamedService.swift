import ServiceLifecycle

/// A service that says what it is called in the log of its group.
///
/// Without, the group describes it by all that it holds, as soon as it is given it: a seventh of what a host does until its
/// room is open.
protocol NamedService: Service, CustomStringConvertible {}
