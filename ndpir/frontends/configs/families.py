"""The families of language models, by the `model_type` of their config files: which field states which fact, which
facts the family fixes, and the published names of its weights.

Roles of weights (a role that a family lacks has no op): `embedding`, `positions`, `embedding_norm`, `final_norm`,
`head`; in each layer the norms `attention_norm` and `feed_forward_norm` before a block, `attention_out_norm` and
`feed_forward_out_norm` after one; `query`, `key`, `value` or `query_key_value`, `output`, `query_norm`, `key_norm`;
`gate`, `up` or `gate_up`, `down`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

REQUIRED = object()
"""The default of a field that a config file must state."""

Fields: TypeAlias = Mapping[str, tuple[str, Any]]
"""For each fact, the field that states it and the family's published default; None where the fact follows from
others."""


@dataclass(frozen=True)
class Family:
    """A family of models: how its config file states the facts, and what holds for all of its models."""

    fields: Fields
    names: Mapping[str, str]
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Facts that hold for all models of the family."""
    expected: Mapping[str, tuple[Any, ...]] = field(default_factory=dict[str, tuple[Any, ...]])
    """Fields that may have these values only, since no others are published."""
    ignored: frozenset[str] = frozenset()
    """Fields of the family that do not change what a model computes."""
    theta: float = 10000.0
    """The base of rotations where the file states none."""
    turned: float = 1.0
    """The share of a head's elements that turn, where the file states none."""
    windows: Literal["none", "all", "stated", "from", "alternate", "five of six"] = "none"
    """Which layers see the last tokens only, where the file has no `layer_types`."""


SIZES: Fields = {
    "vocabulary": ("vocab_size", REQUIRED),
    "hidden": ("hidden_size", REQUIRED),
    "layers": ("num_hidden_layers", REQUIRED),
    "heads": ("num_attention_heads", REQUIRED),
    "kv_heads": ("num_key_value_heads", None),
    "head_size": ("head_dim", None),
    "feed_forward": ("intermediate_size", REQUIRED),
    "activation": ("hidden_act", "silu"),
    "context": ("max_position_embeddings", REQUIRED),
    "epsilon": ("rms_norm_eps", 1e-6),
    "tied": ("tie_word_embeddings", False),
}
"""The usual fields, those of Llama."""

IGNORED = frozenset(
    [
        "_attn_implementation",
        "_attn_implementation_autoset",
        "_name_or_path",
        "add_cross_attention",
        "architectures",
        "attention_dropout",
        "attn_implementation",
        "attn_pdrop",
        "auto_map",
        "bad_words_ids",
        "begin_suppress_tokens",
        "bos_token_id",
        "chunk_size_feed_forward",
        "classifier_dropout",
        "cross_attention_hidden_size",
        "decoder_start_token_id",
        "diversity_penalty",
        "do_sample",
        "dropout",
        "early_stopping",
        "embd_pdrop",
        "encoder_no_repeat_ngram_size",
        "eos_token_id",
        "exponential_decay_length_penalty",
        "finetuning_task",
        "forced_bos_token_id",
        "forced_eos_token_id",
        "gradient_checkpointing",
        "hidden_dropout",
        "id2label",
        "init_std",
        "initializer_range",
        "is_decoder",
        "is_encoder_decoder",
        "keys_to_ignore_at_inference",
        "label2id",
        "layerdrop",
        "length_penalty",
        "max_length",
        "min_length",
        "model_type",
        "no_repeat_ngram_size",
        "num_beam_groups",
        "num_beams",
        "num_return_sequences",
        "output_attentions",
        "output_hidden_states",
        "output_past",
        "output_router_logits",
        "output_scores",
        "pad_token_id",
        "prefix",
        "pretraining_tp",
        "problem_type",
        "pruned_heads",
        "remove_invalid_values",
        "repetition_penalty",
        "resid_pdrop",
        "return_dict",
        "return_dict_in_generate",
        "router_aux_loss_coef",
        "router_jitter_noise",
        "sep_token_id",
        "suppress_tokens",
        "task_specific_params",
        "temperature",
        "tf_legacy_loss",
        "tie_encoder_decoder",
        "tokenizer_class",
        "top_k",
        "top_p",
        "torchscript",
        "transformers_version",
        "typical_p",
        "unk_token_id",
        "use_bfloat16",
        "use_cache",
        "use_flash_attn",
    ]
)
"""Fields that never change what a model computes in a step: those of training, of sampling, of tokenizers, of files."""


def _llama_names(**more: str) -> dict[str, str]:
    """The usual names of weights, those of Llama, with changes."""
    layer = "model.layers.{layer}."
    names = {
        "embedding": "model.embed_tokens.weight",
        "final_norm": "model.norm.weight",
        "head": "lm_head.weight",
        "attention_norm": layer + "input_layernorm.weight",
        "query": layer + "self_attn.q_proj.weight",
        "key": layer + "self_attn.k_proj.weight",
        "value": layer + "self_attn.v_proj.weight",
        "output": layer + "self_attn.o_proj.weight",
        "feed_forward_norm": layer + "post_attention_layernorm.weight",
        "gate": layer + "mlp.gate_proj.weight",
        "up": layer + "mlp.up_proj.weight",
        "down": layer + "mlp.down_proj.weight",
    }
    return names | {role: layer + name for role, name in more.items()}


_LLAMA = _llama_names()
_HEAD_NORMS = {"query_norm": "self_attn.q_norm.weight", "key_norm": "self_attn.k_norm.weight"}

FAMILIES: dict[str, Family] = {
    "llama": Family(
        {
            **SIZES,
            "query_key_bias": ("attention_bias", False),
            "output_bias": ("attention_bias", False),
            "feed_forward_bias": ("mlp_bias", False),
        },
        _LLAMA,
    ),
    "mistral": Family({**SIZES, "kv_heads": ("num_key_value_heads", 8)}, _LLAMA, windows="all"),
    "qwen2": Family(
        SIZES,
        _LLAMA,
        {"query_key_bias": True},
        windows="from",
    ),
    "qwen3": Family(
        {
            **SIZES,
            "head_size": ("head_dim", 128),
            "query_key_bias": ("attention_bias", False),
            "output_bias": ("attention_bias", False),
        },
        _llama_names(**_HEAD_NORMS),
        {"qk_norm": "head"},
        windows="from",
    ),
}
"""All families, by `model_type`."""
