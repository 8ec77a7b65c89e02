"""All that a lead sees at one glance."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.annotate.agreement import AgreementRow, agreement_table
from anaphor.annotate.campaign import read_campaign
from anaphor.annotate.disagreements import count_disagreements
from anaphor.annotate.nouns import Campaign
from anaphor.annotate.remaining import Remaining, remaining
from anaphor.annotate.research import (
    AttentionRow,
    Overall,
    ProgressRow,
    Speed,
    attention_results,
    overall,
    progress_table,
    speeds,
)
from anaphor.annotate.store import Store


@dataclass(frozen=True, slots=True)
class CampaignStatus:
    """How far a campaign is, how people agree, how fast and attentive they are, and what is left."""

    campaign: Campaign
    overall: Overall
    progress: tuple[ProgressRow, ...]
    speeds: tuple[Speed, ...]
    attention: tuple[AttentionRow, ...]
    question: str
    agreement: tuple[AgreementRow, ...]
    open_disagreements: int
    remaining: Remaining


def read_status(store: Store, *, question: str, target: float) -> CampaignStatus:
    return CampaignStatus(
        campaign=read_campaign(store),
        overall=overall(store),
        progress=progress_table(store),
        speeds=speeds(store),
        attention=attention_results(store),
        question=question,
        agreement=agreement_table(store, question=question),
        open_disagreements=count_disagreements(store),
        remaining=remaining(store, target=target),
    )
