"""The rules of the protocol that look as if one could do without them, each with a switch for the model."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """All True is the protocol as it is. A test turns one off and shows a history that then breaks.

    Attributes:
        dirty_packs: packs that an earlier run left half done are done again, and keep a commit from being
            taken for current.
        marks_are_sent_whole: of a file found marked all records are sent, whatever is stored of it.
        marks_are_listed: of a file found marked the ids are listed in Algolia, and strays deleted.
        listing_waits: that listing waits until everything sent before it can be seen.
        one_run_in_flight: a hint that meets a run begins none of its own.
        removal_after_publish: files that left the tree stay searchable until the new commit is published.
        resume: the redelivered message of a half-dispatched run sends everything again.
        lag_is_waited_out: a host that shows the commit before the push it announced is asked again.
        wanted_is_kept: what the run in flight was told to come next keeps a lagging host from settling it.
        wanted_needs_the_run: a hint is noted on the condition that the run it met is still in flight.
        hint_is_kept_at_begin: a run for what was wanted leaves the newer commit of its hint wanted.
        own_commit_is_not_wanted: a hint for the run's own commit does not overwrite a newer one.
        entry_goes_last: the entry on the list of runs is deleted after the next snapshot was asked for.
        entry_is_of_its_run: a failed run's entry never replaces that of a newer run.
        entry_is_forgotten_as_seen: who forgets an entry leaves it alone when it was made due meanwhile.
        all_packs_before_publish: a commit is published when every pack of its run is done.
        target_stays: an unpublished layout stays the target of the next runs.
        new_layout_is_marked: while a layout is built, a file without an item under it counts as marked.
        left_layout_is_marked: so it does while packs of an older layout are still to be emptied.
        version_in_files: a file item of another parser's version is not current.
        exhausted_waits: a run whose message failed for good is ended when its other receipts are over.
    """

    dirty_packs: bool = True
    marks_are_sent_whole: bool = True
    marks_are_listed: bool = True
    listing_waits: bool = True
    one_run_in_flight: bool = True
    removal_after_publish: bool = True
    resume: bool = True
    lag_is_waited_out: bool = True
    wanted_is_kept: bool = True
    wanted_needs_the_run: bool = True
    hint_is_kept_at_begin: bool = True
    own_commit_is_not_wanted: bool = True
    entry_goes_last: bool = True
    entry_is_of_its_run: bool = True
    entry_is_forgotten_as_seen: bool = True
    all_packs_before_publish: bool = True
    target_stays: bool = True
    new_layout_is_marked: bool = True
    left_layout_is_marked: bool = True
    version_in_files: bool = True
    exhausted_waits: bool = True
